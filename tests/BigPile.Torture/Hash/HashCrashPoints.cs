using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Checking;
using BigPile.Hash.Checking;

namespace BigPile.Torture.Hash;

/// <summary>The windows of a hash database among those of the pile: they are numbered behind the last one.</summary>
internal static class HashCrashPoints
{
    private const int First = (int)CrashPoint.End + 1;

    /// <summary>One past the last window.</summary>
    internal static int End { get; } = First + Enum.GetValues<HashCrashPoint>().Length;

    /// <summary>The windows of work.</summary>
    internal static CrashPoint[] OfWork { get; } =
        [.. Enum.GetValues<HashCrashPoint>().Where(static point => !IsRecovery(point)).Select(Of)];

    /// <summary>The windows of an opening behind a kill.</summary>
    internal static CrashPoint[] OfRecovery { get; } = [.. Enum.GetValues<HashCrashPoint>().Where(IsRecovery).Select(Of)];

    internal static CrashPoint Of(HashCrashPoint point) => First + (CrashPoint)point;

    internal static string NameOf(CrashPoint point) =>
        (int)point >= First ? ((HashCrashPoint)((int)point - First)).ToString() : point.ToString();

    internal static IEnumerable<string> NamesOf(IEnumerable<CrashPoint> points) => points.Select(NameOf).Distinct();

    internal static CrashPoint Parse(string name) =>
        Enum.TryParse(name, out HashCrashPoint point) && Enum.IsDefined(point) ? Of(point) : Enum.Parse<CrashPoint>(name);

    private static bool IsRecovery(HashCrashPoint point) => point.ToString().StartsWith("Recovery", StringComparison.Ordinal);
}
