/* SimGrid's replay of time-independent traces: smpirun -replay gives each rank its trace. */
#include <simgrid/actor.h>
#include <smpi/smpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const_sg_actor_t self = sg_actor_self();
    const char *job = sg_actor_get_property_value(self, "instance_id");
    smpi_replay_run(job, atoi(sg_actor_get_property_value(self, "rank")), 0, argv[argc - 1]);
    return 0;
}
