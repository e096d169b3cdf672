#if TORTURE
using System;
#endif

namespace BigPile.Concurrency;

/// <summary>Wrong orders of stores that the kill test must catch. Outside of it each is false, and the compiler drops its branch.</summary>
internal static class Fault
{
    /// <summary>Publish a header before the payload is written.</summary>
    internal static bool HeaderFirst => IsOn("header-first");

    /// <summary>Free a link's target while the origin leads to it.</summary>
    internal static bool TargetFreedFirst => IsOn("target-freed-first");

    /// <summary>Free a table's old entry after another thread may have removed the new one.</summary>
    internal static bool FreedOutsideLock => IsOn("freed-outside-lock");

    /// <summary>Go on from the highest version that is alive.</summary>
    internal static bool VersionFromLive => IsOn("version-from-live");

    /// <summary>Lay out a used page without clearing the headers of its slots.</summary>
    internal static bool SlotsUncleared => IsOn("slots-uncleared");

    /// <summary>Overwrite a payload in place with nothing to restore it from.</summary>
    internal static bool InPlaceWithoutRedo => IsOn("in-place-without-redo");

#if TORTURE
    private static readonly string? Control = Environment.GetEnvironmentVariable("BIGPILE_TORTURE_CONTROL");

    private static bool IsOn(string control) => Control == control;
#else
    private static bool IsOn(string control) => false;
#endif
}
