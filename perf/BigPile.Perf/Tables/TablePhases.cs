using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Perf.Tables;

/// <summary>The loops over entries: what each phase does to a batch of them.</summary>
/// <remarks>Thread safety: the workers call the phases concurrently, each for entries of its own.</remarks>
internal sealed class TablePhases : IDisposable
{
    private const int PutsBetweenCpuMarks = 256;
    private const double NsPerTick = 1e9;

    private readonly CacheOptions _options;
    private readonly LoadLayout _layout;
    private readonly PileCache _cache;
    private readonly CacheTable<long, byte[]> _table;
    private readonly byte[][] _values;
    private readonly byte[][] _buffers;
    private readonly ZipfOrder[] _orders;
    private long _missing;

    internal TablePhases(PileOptions pileOptions, CacheOptions options, LoadLayout layout)
    {
        _options = options;
        _layout = layout;
        _cache = new PileCache(new Pile(pileOptions), ownsPile: true);
        _table = _cache.GetOrCreateTable<long, byte[]>(new TableOptions("load") { CollisionMode = options.Mode });
        _values = Make(options.Threads, _ => new byte[options.ValueBytes]);
        _buffers = Make(options.Threads, _ => new byte[options.ValueBytes]);
        _orders = Make(options.Threads, i => new ZipfOrder(i, options.Count, CacheOptions.Zipf));
        Times = Make(options.Threads, _ => new PutTimes());
    }

    internal PutTimes[] Times { get; }

    internal CacheTable<long, byte[]> Table => _table;

    internal Pile Pile => _cache.Pile;

    /// <summary>The gets since the last call that found nothing.</summary>
    internal long TakeMissing() => Interlocked.Exchange(ref _missing, 0);

    /// <summary>Puts, and takes the time of each.</summary>
    internal void PutTimed(Worker worker, int start, int end)
    {
        byte[] value = _values[worker.Index];
        PutTimes times = Times[worker.Index];
        double nsPerTick = NsPerTick / Stopwatch.Frequency;
        long before = Stopwatch.GetTimestamp();
        for (int i = start; i < end; i++)
        {
            if ((i - start) % PutsBetweenCpuMarks == 0)
            {
                times.CpuMarkNs = ThreadClock.NowNs();
                before = Stopwatch.GetTimestamp();
            }
            Put(value, i);
            long after = Stopwatch.GetTimestamp();
            times.Add((long)((after - before) * nsPerTick));
            before = after;
        }
    }

    /// <summary>Puts all but the anchors, which are there already.</summary>
    internal void PutAroundAnchors(Worker worker, int start, int end)
    {
        byte[] value = _values[worker.Index];
        for (int i = AfterAnchor(worker, start); i < end; i++)
            Put(value, i);
    }

    internal void Get(Worker worker, int start, int end)
    {
        for (int i = start; i < end; i++)
            Get(worker, i);
    }

    internal void GetAtRandom(Worker worker, int start, int end)
    {
        var order = new RandomOrder(seed: start, limit: _options.Count);
        for (int i = start; i < end; i++)
            Get(worker, order.Next());
    }

    /// <summary>Gets as many entries as the batch has, some at a time, from all over the table.</summary>
    internal void GetBatched(Worker worker, int start, int end)
    {
        var order = new RandomOrder(seed: start, limit: _options.Count);
        var numbers = new int[CacheOptions.Batch];
        var keys = new long[CacheOptions.Batch];
        var lengths = new int[CacheOptions.Batch];
        var destination = new ArrayBufferWriter<byte>(CacheOptions.Batch * _options.ValueBytes);
        for (int i = start; i < end; i += numbers.Length)
        {
            int count = Math.Min(numbers.Length, end - i);
            for (int k = 0; k < count; k++)
                keys[k] = numbers[k] = order.Next();
            destination.ResetWrittenCount();
            int found = _table.ReadMany(keys.AsSpan(0, count), destination, lengths.AsSpan(0, count));
            Check(destination.WrittenSpan, numbers, lengths.AsSpan(0, count));
            Miss(count - found);
        }
    }

    internal void ReplaceAtRandom(Worker worker, int start, int end)
    {
        byte[] value = _values[worker.Index];
        var order = new RandomOrder(seed: start, limit: _options.Count);
        for (int i = start; i < end; i++)
            Put(value, order.Next());
    }

    /// <summary>Gets and replaces, by the share of reads and the skew that were asked for.</summary>
    internal void Mix(Worker worker, int start, int end)
    {
        byte[] value = _values[worker.Index];
        ZipfOrder order = _orders[worker.Index];
        var random = new Random(start);
        for (int i = start; i < end; i++)
        {
            if (random.NextDouble() < CacheOptions.ReadRatio)
                Get(worker, order.Next());
            else
                Put(value, order.Next());
        }
    }

    internal void Remove(Worker worker, int start, int end)
    {
        for (int i = start; i < end; i++)
            Miss(_table.Remove(i) ? 0 : 1);
    }

    /// <summary>Removes all but the anchors.</summary>
    internal void RemoveAroundAnchors(Worker worker, int start, int end) => Remove(worker, AfterAnchor(worker, start), end);

    /// <summary>Closes the table.</summary>
    public void Dispose() => _cache.Dispose();

    private static T[] Make<T>(int count, Func<int, T> make)
    {
        var all = new T[count];
        for (int i = 0; i < count; i++)
            all[i] = make(i);
        return all;
    }

    private int AfterAnchor(Worker worker, int start) => _layout.StartsWithAnchor(worker, start) ? start + 1 : start;

    private void Put(byte[] value, int number)
    {
        BinaryPrimitives.WriteInt64LittleEndian(value, number);
        _table.PutBytes(number, value, _options.Entries.OptionsOf(number), out _);
    }

    private void Get(Worker worker, int number)
    {
        byte[] buffer = _buffers[worker.Index];
        if (!_table.TryRead(number, buffer, out EntryInfo info))
            Miss(1);
        else if (info.ValueBytes != buffer.Length || BinaryPrimitives.ReadInt64LittleEndian(buffer) != number)
            FailChanged(number);
    }

    private void Check(ReadOnlySpan<byte> values, int[] numbers, ReadOnlySpan<int> lengths)
    {
        for (int k = 0; k < lengths.Length; k++)
        {
            if (lengths[k] < 0)
                continue;
            if (lengths[k] != _options.ValueBytes || BinaryPrimitives.ReadInt64LittleEndian(values) != numbers[k])
                FailChanged(numbers[k]);
            values = values[lengths[k]..];
        }
    }

    private void Miss(int count)
    {
        if (count != 0)
            Interlocked.Add(ref _missing, count);
    }

    [DoesNotReturn]
    private static void FailChanged(int number) =>
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture, $"Entry {number:N0} came back as another one than was put. The table is at fault."));
}
