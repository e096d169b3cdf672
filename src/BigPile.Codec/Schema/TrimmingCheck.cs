using System.Reflection;
using System.Reflection.Metadata;

namespace BigPile.Codec.Schema;

/// <summary>
/// Whether the program is as it was compiled. The codec finds types and members by reflection, so it can't do with what was left of them
/// by a publish that takes away what no code names.
/// </summary>
internal static class TrimmingCheck
{
    /// <summary>What who publishes a trimmed program is told.</summary>
    internal const string TrimmingMessage =
        "Types and members of objects are found by reflection: publish without <PublishTrimmed>, or with <TrimMode>partial</TrimMode>.";

    /// <summary>What who publishes a program by Native AOT is told.</summary>
    internal const string NativeAotMessage =
        "Objects are stored by descriptions of types that Native AOT does not keep: publish with <PublishReadyToRun> in the place of "
        + "<PublishAot>.";

    private static readonly string? Problem = FindProblem();

    /// <summary>Whether it is.</summary>
    internal static bool IsUntrimmed => Problem == null;

    /// <summary>Refuses to go on in a program that is trimmed or compiled by Native AOT.</summary>
    /// <exception cref="PileSerializationException">It is.</exception>
    public static void ThrowIfTrimmed()
    {
        if (Problem is { } reason)
            throw new PileSerializationException(reason);
    }

    // That no code can be generated does not tell: a runtime may be set so, and the codec then goes on by its interpreter.
    private static unsafe string? FindProblem()
    {
        Assembly codec = typeof(TrimmingCheck).Assembly;
        if (!codec.TryGetRawMetadata(out _, out _))
        {
            return "The program was compiled by Native AOT, which keeps no description of types that BigPile could store objects by: "
                + "publish it with <PublishReadyToRun> in the place of <PublishAot>.";
        }
        return codec.GetType($"{typeof(TrimmingCheck).FullName}+{nameof(Unnamed)}") is null
            ? "The program was trimmed, and so lacks types and members that BigPile finds by reflection: publish it without "
                + "<PublishTrimmed>, or with <TrimMode>partial</TrimMode>."
            : null;
    }

    // No code names it, so a trimmer takes it away.
    private static class Unnamed;
}
