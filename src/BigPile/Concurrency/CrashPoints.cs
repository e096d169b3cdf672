using System;
using System.Diagnostics;
#if TORTURE
using System.Globalization;
using System.Threading;
#endif

namespace BigPile.Concurrency;

/// <summary>
/// Lets the kill test pause a thread at a crash point, which is some nanoseconds long; otherwise the calls are not compiled.
/// </summary>
/// <remarks>
/// Each process favours one crash point: it pauses there often and for milliseconds, so that a kill hits it. At the others it pauses seldom
/// and for microseconds, so that threads meet in varying orders.
/// </remarks>
internal static unsafe class CrashPoints
{
#if TORTURE
    private const int SeldomOf = 48;
    private const int FavouredOf = 3;
    private const int ShortMicroseconds = 30;
    private const int LongMilliseconds = 4;
    private const int RareMilliseconds = 100;

    private static readonly ManualResetEventSlim Never = new();
    private static readonly ulong Seed = ReadSeed();
    private static readonly CrashPoint Favoured = ReadFavoured();
    private static int _threads;

    [ThreadStatic]
    private static ulong _state;

    [ThreadStatic]
    private static int* _place;

    /// <summary>Sets where the calling thread reports the crash point that it pauses at.</summary>
    internal static void ReportTo(int* place) => _place = place;

    private static ulong ReadSeed() =>
        ulong.TryParse(Environment.GetEnvironmentVariable("BIGPILE_TORTURE_PAUSES"), CultureInfo.InvariantCulture, out ulong seed)
            ? seed
            : 0;

    private static CrashPoint ReadFavoured() =>
        Enum.TryParse(Environment.GetEnvironmentVariable("BIGPILE_TORTURE_WINDOW"), out CrashPoint window) ? window : CrashPoint.None;

    // Passed only some times in the life of a process, not with each operation.
    private static bool IsRare(CrashPoint window) =>
        window is >= CrashPoint.RunBeforeFirstPage and <= CrashPoint.SegmentBeforeRemoved
            or CrashPoint.VersionsReservedBeforeUse or CrashPoint.SegmentBeforeStruck
            or >= CrashPoint.FlushBeforeBatch and <= CrashPoint.RecoveryBeforeOpened and not CrashPoint.ReplayBetweenRecords
            or CrashPoint.RecoveredBeforeStated or >= CrashPoint.TagBetweenMarks and <= CrashPoint.MarkBeforeOldFreed
            or CrashPoint.ClearBeforeMarkFreed;

    private static uint Next(uint below)
    {
        if (_state == 0)
            _state = (Seed + (ulong)Interlocked.Increment(ref _threads)) * 0x9E3779B97F4A7C15 | 1;
        _state ^= _state << 13;
        _state ^= _state >> 7;
        _state ^= _state << 17;
        return (uint)(_state >> 33) % below;
    }

    private static void Wait(CrashPoint window)
    {
        if (Seed == 0 || _place == null)
            return;
        bool isFavoured = window == Favoured;
        bool isRare = isFavoured && IsRare(window);
        if (Next(isRare ? 1 : isFavoured ? FavouredOf : (uint)SeldomOf) != 0)
            return;
        *_place = (int)window;
        if (isFavoured)
            _ = Never.Wait((int)Next(isRare ? RareMilliseconds : (uint)LongMilliseconds) + 1);
        else
            Spin(Next(ShortMicroseconds));
        *_place = (int)CrashPoint.None;
    }

    private static void Spin(uint microseconds)
    {
        long end = Stopwatch.GetTimestamp() + Stopwatch.Frequency / 1_000_000 * microseconds;
        while (Stopwatch.GetTimestamp() < end)
            Thread.SpinWait(10);
    }
#endif

    /// <summary>Marks a crash point.</summary>
    [Conditional("TORTURE")]
    internal static void Pass(CrashPoint window)
    {
#if TORTURE
        Wait(window);
#endif
    }

    /// <summary>Writes half of a payload before all of it is written, and marks the crash point in between.</summary>
    [Conditional("TORTURE")]
    internal static void CopyHalf(ReadOnlySpan<byte> payload, byte* destination, CrashPoint window)
    {
#if TORTURE
        payload[..(payload.Length / 2)].CopyTo(new Span<byte>(destination, payload.Length / 2));
        Wait(window);
#endif
    }
}
