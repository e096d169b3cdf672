using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Concurrency;
using BigPile.Hash;

namespace BigPile.Torture.Hash;

/// <summary>The windows of a hash database among those of the pile: they are numbered behind the last one.</summary>
internal static class HashWindows
{
    private const int First = (int)KillWindow.End + 1;

    /// <summary>One past the last window.</summary>
    internal static int End { get; } = First + Enum.GetValues<HashWindow>().Length;

    /// <summary>The windows of work.</summary>
    internal static KillWindow[] OfWork { get; } = [.. Enum.GetValues<HashWindow>().Where(static window => !IsRecovery(window)).Select(Of)];

    /// <summary>The windows of an opening behind a kill.</summary>
    internal static KillWindow[] OfRecovery { get; } = [.. Enum.GetValues<HashWindow>().Where(IsRecovery).Select(Of)];

    internal static KillWindow Of(HashWindow window) => First + (KillWindow)window;

    internal static string NameOf(KillWindow window) =>
        (int)window >= First ? ((HashWindow)((int)window - First)).ToString() : window.ToString();

    internal static IEnumerable<string> NamesOf(IEnumerable<KillWindow> windows) => windows.Select(NameOf).Distinct();

    internal static KillWindow Parse(string name) =>
        Enum.TryParse(name, out HashWindow window) && Enum.IsDefined(window) ? Of(window) : Enum.Parse<KillWindow>(name);

    private static bool IsRecovery(HashWindow window) => window.ToString().StartsWith("Recovery", StringComparison.Ordinal);
}
