using System;
using System.Buffers.Binary;
using System.Diagnostics;
using BigPile.Caching;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Restarts;

/// <summary>Opens the table of a pile, measures each part, and looks whether the entries came back.</summary>
internal static class TableOpening
{
    internal const string TableName = "restart";

    private const int NumberBits = 40; // of the number in a payload; the rest counts replacements
    private const long OwnKey = -1; // of the first put

    /// <summary>Gives the table, which loses nothing by itself.</summary>
    internal static CacheTable<long, byte[]> TableOf(PileCache cache) =>
        cache.GetOrCreateTable<long, byte[]>(new TableOptions(TableName) { CollisionMode = CollisionMode.Durable });

    /// <summary>The number in the payload of a key that was replaced so many times.</summary>
    internal static ulong NumberOf(long key, long replacements) => (ulong)key | ((ulong)replacements << NumberBits);

    /// <summary>Opens, measures and compares.</summary>
    /// <param name="options">What fills the table.</param>
    /// <param name="place">Where it is.</param>
    /// <param name="state">What was left of it.</param>
    /// <param name="churn">What the process had put that was killed; null: none was.</param>
    internal static TableOpenFigures Measure(TableRestartOptions options, TablePlace place, TableState state, ChurnFigures? churn)
    {
        int key = new Random((int)(churn?.FirstKey ?? 1)).Next(options.Entries);
        var value = new byte[options.ValueBytes];
        NumberedPayload.Fill(value, NumberOf(key, 0));
        _ = ThreadClock.NowNs(); // compiled by now
        long startNs = ThreadClock.NowNs();
        long start = Stopwatch.GetTimestamp();
        using Pile pile = Pile.Open(place.PilePath);
        long opened = Stopwatch.GetTimestamp();
        using var cache = new PileCache(pile, new PileCacheOptions { IndexDirectory = place.IndexPath });
        long made = Stopwatch.GetTimestamp();
        CacheTable<long, byte[]> table = TableOf(cache);
        long given = Stopwatch.GetTimestamp();
        long givenNs = ThreadClock.NowNs();
        double? walkSeconds = state == TableState.WithoutIndex ? WaitForWalk(cache, start) : null;
        long readyNs = ThreadClock.NowNs();
        long ready = Stopwatch.GetTimestamp();
        bool isThere = table.TryGet(key, out byte[]? found);
        long got = Stopwatch.GetTimestamp();
        long ownNs = givenNs - startNs + ThreadClock.NowNs() - readyNs;
        long aboutToPut = Stopwatch.GetTimestamp();
        table.PutBytes(OwnKey, value, out _);
        long put = Stopwatch.GetTimestamp();
        double? inspectionSeconds = state == TableState.Killed ? WaitForInspection(cache, start) : null;
        if (!isThere || !IsRight(options, key, found!) || cache.Readiness.WasRestored == (state == TableState.WithoutIndex))
            throw new LoadException($"The table came back wrong: the entry of {key} is {(isThere ? "there" : "missing")}, the index "
                + $"{(cache.Readiness.WasRestored ? "came back" : "did not come back")}. The table is at fault.");
        long entryCount = table.Statistics.EntryCount;
        return new TableOpenFigures
        {
            OpenMs = Milliseconds(start, opened),
            CacheMs = Milliseconds(opened, made),
            TableMs = Milliseconds(made, given),
            FirstGetMs = Milliseconds(ready, got),
            SumMs = Figure.Rounded(Milliseconds(start, given) + Milliseconds(ready, got), 3),
            SumCpuMs = ThreadClock.IsSupported ? Figure.Rounded(ownNs / 1e6, 3) : null,
            FirstPutMs = Milliseconds(aboutToPut, put),
            InspectionSeconds = inspectionSeconds,
            InspectedPerSecond = PerSecond(entryCount, inspectionSeconds),
            WalkSeconds = walkSeconds,
            WalkedPerSecond = PerSecond(entryCount, walkSeconds),
            EntryCount = entryCount,
            ComparedCount = Compare(options, table, 0, options.Entries)
                + (churn is { } known ? Compare(options, table, known.FirstKey, known.KeyCount) : 0),
        };
    }

    private static double WaitForWalk(PileCache cache, long start)
    {
        cache.Readiness.Completion.GetAwaiter().GetResult();
        return SecondsSince(start);
    }

    private static double WaitForInspection(PileCache cache, long start)
    {
        cache.Readiness.Inspection.GetAwaiter().GetResult();
        return SecondsSince(start);
    }

    private static long Compare(TableRestartOptions options, CacheTable<long, byte[]> table, long first, long count)
    {
        long compared = 0;
        for (long at = 0; at < count; at += TableRestartOptions.ComparedOneIn, compared++)
        {
            if (!table.TryGet(first + at, out byte[]? value) || !IsRight(options, first + at, value))
                throw new LoadException($"The entry of {first + at} is missing, or another one than was put. The table is at fault.");
        }
        return compared;
    }

    private static bool IsRight(TableRestartOptions options, long key, byte[] value) =>
        NumberedPayload.IsWhole(value, options.ValueBytes)
        && (long)(NumberedPayload.NumberOf(value) & ((1UL << NumberBits) - 1)) == key;

    private static double? PerSecond(long entries, double? seconds) => seconds is { } some ? Figure.Rounded(entries / some, 0) : null;

    private static double Milliseconds(long from, long to) => Figure.Rounded(Stopwatch.GetElapsedTime(from, to).TotalMilliseconds, 3);

    private static double SecondsSince(long start) => Figure.Rounded(Stopwatch.GetElapsedTime(start).TotalSeconds, 4);
}

/// <summary>A self-checking payload: a number, and bytes that follow from it.</summary>
internal static class NumberedPayload
{
    private const ulong Multiplier = 0x9E3779B97F4A7C15;
    private const int MaxStackBytes = 1024;

    internal static void Fill(Span<byte> payload, ulong number)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(payload, number);
        ulong word = number;
        for (int i = 8; i + 8 <= payload.Length; i += 8)
        {
            word = word * Multiplier + 1;
            BinaryPrimitives.WriteUInt64LittleEndian(payload[i..], word);
        }
        payload[(payload.Length / 8 * 8)..].Fill((byte)number);
    }

    internal static ulong NumberOf(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadUInt64LittleEndian(payload);

    internal static bool IsWhole(ReadOnlySpan<byte> payload, int lengthBytes)
    {
        if (payload.Length != lengthBytes)
            return false;
        Span<byte> expected = lengthBytes <= MaxStackBytes ? stackalloc byte[lengthBytes] : new byte[lengthBytes];
        Fill(expected, NumberOf(payload));
        return payload.SequenceEqual(expected);
    }
}
