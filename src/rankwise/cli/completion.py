"""`rankwise completion`: the line that makes a shell complete our verbs and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(
    name="completion",
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
    click.echo(generator(root, {}, "rankwise", "_RANKWISE_COMPLETE").source())
