#include "windows.h"
#include <stdlib.h>

static struct {
    Window *windows;
    int room;
} g;

void add_window(MPI_Win win, int communicator)
{
    int number = 0;
    while (number < g.room && g.windows[number].live)
        number++;
    if (number == g.room) {
        const int room = g.room ? 2 * g.room : 16;
        Window *more = realloc(g.windows, (size_t)room * sizeof *more);
        if (!more)
            return;
        for (int i = g.room; i < room; i++)
            more[i].live = false;
        g.windows = more;
        g.room = room;
    }
    g.windows[number] = (Window){win, number, communicator, true};
}

Window window(MPI_Win win)
{
    for (int i = 0; i < g.room; i++)
        if (g.windows[i].live && g.windows[i].win == win)
            return g.windows[i];
    return (Window){.win = win, .number = -1, .communicator = -1};
}

void forget_window(int number)
{
    if (number >= 0 && number < g.room)
        g.windows[number].live = false;
}
