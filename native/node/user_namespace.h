#pragma once

namespace rankwise
{

// Moves this process into a user namespace of its own, in which it has all capabilities and the
// caller's uid and gid are what they are outside; all others are unmapped. What it executes has no
// capabilities. Throws Error naming the sysctl that forbids it.
void enter_user_namespace();

} // namespace rankwise
