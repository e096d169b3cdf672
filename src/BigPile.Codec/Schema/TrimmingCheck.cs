using System.Reflection;
using System.Reflection.Metadata;

namespace BigPile.Codec.Schema;

/// <summary>
/// Finds out whether the program was trimmed or compiled by Native AOT. The codec finds types and members by reflection, and these
/// remove those that no code names.
/// </summary>
internal static class TrimmingCheck
{
    /// <summary>The compiler's warning when a program is published trimmed.</summary>
    internal const string TrimmingMessage =
        "Types and members of objects are found by reflection: publish without <PublishTrimmed>, or with <TrimMode>partial</TrimMode>.";

    /// <summary>The compiler's warning when a program is published by Native AOT.</summary>
    internal const string NativeAotMessage =
        "Objects are stored by descriptions of types that Native AOT does not keep: publish with <PublishReadyToRun> in the place of "
        + "<PublishAot>.";

    private static readonly string? Problem = FindProblem();

    /// <summary>Whether the program is neither trimmed nor compiled by Native AOT.</summary>
    internal static bool IsUntrimmed => Problem == null;

    /// <summary>Throws if the program is trimmed or compiled by Native AOT.</summary>
    /// <exception cref="PileSerializationException">It is.</exception>
    public static void ThrowIfTrimmed()
    {
        if (Problem is { } reason)
            throw new PileSerializationException(reason);
    }

    // RuntimeFeature.IsDynamicCodeSupported does not tell: it may also be switched off by a setting, and then the interpreter works.
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

    // No code names this class, so a trimmer removes it.
    private static class Unnamed;
}
