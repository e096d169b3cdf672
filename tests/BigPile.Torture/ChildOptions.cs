using System.Globalization;

namespace BigPile.Torture;

/// <summary>What the parent tells a child: the run's directory, the target, a seed, and which known faults to leave alone.</summary>
internal sealed record ChildOptions(string Directory, string Target, ulong Seed, bool MovesOut)
{
    private const string Yes = "1";
    private const string No = "0";

    internal static ChildOptions Parse(string[] args) =>
        args is [_, { } directory, { } target, { } seed, { } own]
            && ulong.TryParse(seed, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number)
            ? new ChildOptions(directory, target, number, own == Yes)
            : throw new BadArgumentException("This verb is for the torture's own children.");

    internal string[] ToArguments(string verb) =>
        [verb, Directory, Target, Seed.ToString(CultureInfo.InvariantCulture), MovesOut ? Yes : No];
}
