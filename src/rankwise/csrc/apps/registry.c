/* The applications, as their files registered them before main. */
#include "app.h"
#include <string.h>

static App *apps;

void register_app(App *app)
{
    App **place = &apps;
    while (*place && strcmp((*place)->name, app->name) < 0)
        place = &(*place)->next;
    app->next = *place;
    *place = app;
}

App *first_app(void)
{
    return apps;
}

const App *find_app(const char *name)
{
    const App *app = apps;
    while (app && strcmp(app->name, name) != 0)
        app = app->next;
    return app;
}
