using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using BigPile.Checking;
using BigPile.Hash.Checking;
using BigPile.Memory.Checking;
using BigPile.Torture.Hash;

namespace BigPile.Torture;

/// <summary>Pauses threads at crash points, which are some nanoseconds long, so that a kill hits them; plants the run's mistake.</summary>
/// <remarks>
/// Each process favours one crash point: it pauses there often and for milliseconds. At the others it pauses seldom and for microseconds,
/// so that threads meet in varying orders.
/// </remarks>
internal static unsafe class Pauses
{
    internal const string SeedVariable = "BIGPILE_TORTURE_PAUSES"; // 0, or a number from which its pauses follow
    internal const string FavouredVariable = "BIGPILE_TORTURE_WINDOW"; // the name or number of a crash point
    internal const string MutationVariable = "BIGPILE_TORTURE_CONTROL"; // the name of a mistake

    private const int SeldomOf = 48;
    private const int FavouredOf = 3;
    private const int ShortMicroseconds = 30;
    private const int LongMilliseconds = 4;
    private const int RareMilliseconds = 100;

    private static readonly ManualResetEventSlim Never = new();
    private static readonly string? Mutation = Environment.GetEnvironmentVariable(MutationVariable);
    private static readonly ulong Seed = ReadSeed();
    private static readonly CrashPoint Favoured = ReadFavoured();
    private static int _threads;

    [ThreadStatic]
    private static ulong _state;

    [ThreadStatic]
    private static int* _place;

    /// <summary>Whether this process has a mistake planted.</summary>
    internal static bool HasMutation => !string.IsNullOrEmpty(Mutation);

    /// <summary>Lets this process pause, and make its mistake, as its environment says.</summary>
    internal static void Install()
    {
        Mutations.Planted = static name => name == Mutation;
        CrashPointHook<CrashPoint>.Passed = Pass;
        CrashPointHook<HashCrashPoint>.Passed = static point => Pass(HashCrashPoints.Of(point));
    }

    /// <summary>Sets where the calling thread reports the crash point that it pauses at; only threads that report pause.</summary>
    internal static void ReportTo(int* place) => _place = place;

    private static ulong ReadSeed() =>
        ulong.TryParse(Environment.GetEnvironmentVariable(SeedVariable), CultureInfo.InvariantCulture, out ulong seed) ? seed : 0;

    private static CrashPoint ReadFavoured() =>
        Enum.TryParse(Environment.GetEnvironmentVariable(FavouredVariable), out CrashPoint point) ? point : CrashPoint.None;

    private static void Pass(CrashPoint point)
    {
        if (Seed == 0 || _place == null)
            return;
        bool isFavoured = point == Favoured;
        bool isRare = isFavoured && IsRare(point);
        if (Next(isRare ? 1 : isFavoured ? FavouredOf : (uint)SeldomOf) != 0)
            return;
        *_place = (int)point;
        if (isFavoured)
            _ = Never.Wait((int)Next(isRare ? RareMilliseconds : (uint)LongMilliseconds) + 1);
        else
            Spin(Next(ShortMicroseconds));
        *_place = (int)CrashPoint.None;
    }

    // Passed only some times in the life of a process, not with each operation.
    private static bool IsRare(CrashPoint point) =>
        point is >= CrashPoint.RunBeforeFirstPage and <= CrashPoint.SegmentBeforeRemoved
            or CrashPoint.VersionsReservedBeforeUse or CrashPoint.SegmentBeforeStruck
            or >= CrashPoint.FlushBeforeCopy and <= CrashPoint.RecoveryBeforeOpened and not CrashPoint.ReplayBetweenRecords
            or CrashPoint.RecoveredBeforeStated or >= CrashPoint.TagBetweenMarks and <= CrashPoint.MarkBeforeOldFreed
            or CrashPoint.ClearBeforeMarkFreed or CrashPoint.FeedBeforeRecycled;

    private static uint Next(uint below)
    {
        if (_state == 0)
            _state = (Seed + (ulong)Interlocked.Increment(ref _threads)) * 0x9E3779B97F4A7C15 | 1;
        _state ^= _state << 13;
        _state ^= _state >> 7;
        _state ^= _state << 17;
        return (uint)(_state >> 33) % below;
    }

    private static void Spin(uint microseconds)
    {
        long end = Stopwatch.GetTimestamp() + Stopwatch.Frequency / 1_000_000 * microseconds;
        while (Stopwatch.GetTimestamp() < end)
            Thread.SpinWait(10);
    }
}
