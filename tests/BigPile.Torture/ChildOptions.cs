using System;
using System.Globalization;

namespace BigPile.Torture;

/// <summary>What the parent tells a child: the run's directory, the target, a seed, and the codec.</summary>
internal sealed record ChildOptions(string Directory, string Target, ulong Seed, string Codec)
{
    /// <summary>Whether a hash database is tortured; the kind of its file is named behind it.</summary>
    internal bool IsHash => Target.StartsWith(TortureOptions.HashTarget, StringComparison.Ordinal);

    internal static ChildOptions Parse(string[] args) =>
        args is [_, { } directory, { } target, { } seed, { } codec]
            && ulong.TryParse(seed, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number)
            ? new ChildOptions(directory, target, number, codec)
            : throw new BadArgumentException("This verb is for the torture's own children.");

    internal string[] ToArguments(string verb) => [verb, Directory, Target, Seed.ToString(CultureInfo.InvariantCulture), Codec];
}
