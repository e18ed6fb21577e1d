"""`rankwise completion`: the line that makes a shell complete our verbs and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from rankwise.cli.screen import out

SECTION = "MPIs and hosts"


@click.command(
    name="completion",
    short_help="Print the completion script for a shell.",
    epilog='\b\nExamples:\n  eval "$(rankwise completion bash)"\n'
    "  rankwise completion fish > ~/.config/fish/completions/rankwise.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell."""
    generator = get_completion_class(shell)
    if generator is None:
        raise click.UsageError(f"no completion for {shell}")
    root = context.find_root().command
    out(generator(root, {}, "rankwise", "_RANKWISE_COMPLETE").source())
