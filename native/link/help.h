// What --help prints.
#pragma once

namespace rankwise
{

extern const char *const usage;
extern const char *const manual;

} // namespace rankwise
