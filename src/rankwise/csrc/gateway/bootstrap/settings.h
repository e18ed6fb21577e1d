/* What a process is told of the job that it takes part in. */
#ifndef SETTINGS_H
#define SETTINGS_H

/* Where the first process waits, the key that all know, for how long they look for one another, and
 * where the site's relay is: NULL where sites reach one another without. */
typedef struct {
    const char *host, *key, *relay;
    int port, relay_port;
    double seconds;
} Settings;

extern Settings job_settings; /* of this process, once it has met the others */

/* Reads RANKWISE_JOIN's words, which it keeps, and fills `world` with the sites. */
Settings read_settings(char *text);

/* Which of all ranks this process is. */
void find_place(void);

#endif
