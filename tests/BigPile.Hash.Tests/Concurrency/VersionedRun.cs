using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace BigPile.Hash.Tests.Concurrency;

/// <summary>Keys that have one writer each, and readers that know what may be found at any instant.</summary>
/// <remarks>
/// A key's versions count up: even ones are set, odd ones are removals. A writer states a version before its call and again behind it. So
/// whatever a reader finds has a version between the one that was behind its call when the read began, and the one that had begun when
/// the read ended; and where it finds nothing, a removal lies behind the first of those.
/// </remarks>
internal sealed class VersionedRun(HashDatabase database, int keys, int writers, int seed)
{
    private readonly long[] _begun = new long[keys];
    private readonly long[] _removed = new long[keys]; // the last removal that has begun
    private readonly long[] _ended = [.. Enumerable.Repeat(1L, keys)];
    private long _reads;

    internal long Reads => Volatile.Read(ref _reads);

    /// <summary>Changes a random key of a writer's own.</summary>
    internal Action<int> Writer(int writer)
    {
        var random = new Random(seed + writer);
        return _ =>
        {
            int key = random.Next(keys / writers) * writers + writer;
            long version = Math.Max(_ended[key], _begun[key]) + 1;
            bool isRemoval = _ended[key] % 2 == 0 && random.Next(4) == 0;
            version += isRemoval == (version % 2 != 0) ? 0 : 1;
            if (isRemoval)
                Volatile.Write(ref _removed[key], version);
            Volatile.Write(ref _begun[key], version);
            Change(key, version, random.Next(3));
            Volatile.Write(ref _ended[key], version);
        };
    }

    /// <summary>Reads a random key, in one of the ways there are.</summary>
    internal Action<int> Reader(int reader)
    {
        var random = new Random(seed + 100 + reader);
        var buffer = new byte[100_000];
        var writer = new ArrayBufferWriter<byte>();
        return _ =>
        {
            int key = random.Next(keys);
            long from = Volatile.Read(ref _ended[key]);
            bool isThere;
            ReadOnlySpan<byte> value;
            if (random.Next(2) == 0)
            {
                isThere = database.TryGet(Some.Key(key), buffer, out int length);
                value = buffer.AsSpan(0, length);
            }
            else
            {
                writer.ResetWrittenCount();
                isThere = database.TryGet(Some.Key(key), writer);
                value = writer.WrittenSpan;
            }
            Check(key, isThere, value, from);
            Interlocked.Increment(ref _reads);
        };
    }

    /// <summary>Walks through all: what was there all the time comes once, and nothing comes twice.</summary>
    internal void Walk()
    {
        long[] from = [.. Enumerable.Range(0, keys).Select(key => Volatile.Read(ref _ended[key]))];
        var seen = new HashSet<int>();
        foreach (HashRecord record in database)
        {
            int key = Some.NumberOf(record.Key.Span);
            if (key >= keys)
                continue; // of others
            // A record that was removed and set again meanwhile is another one.
            Assert.True(seen.Add(key) || HasRemoval(key, from[key]), $"key {key} comes twice");
            Check(key, isThere: true, record.Value.Span, from[key]);
        }
        for (int key = 0; key < keys; key++)
        {
            if (!seen.Contains(key))
                Check(key, isThere: false, [], from[key]);
        }
    }

    /// <summary>Everything is as it was left; nobody writes.</summary>
    internal void CheckAll()
    {
        for (int key = 0; key < keys; key++)
        {
            byte[]? value = database.Get(Some.Key(key));
            Check(key, value != null, value, _ended[key]);
        }
        Walk();
    }

    private void Change(int key, long version, int way)
    {
        if (version % 2 != 0)
        {
            Assert.True(database.Remove(Some.Key(key)), $"key {key} was not there to be removed");
            return;
        }
        byte[] value = VersionedValue.Make(key, version);
        if (way == 0)
        {
            database.Process(Some.Key(key), static (_, _, state) => RecordChange.Set(state), value);
            return;
        }
        Assert.True(database.Set(Some.Key(key), value));
    }

    private void Check(int key, bool isThere, ReadOnlySpan<byte> value, long from)
    {
        long version = isThere ? VersionedValue.Check(value, key) : 0;
        long to = Math.Max(Volatile.Read(ref _begun[key]), from);
        if (isThere)
            Assert.True(version >= from && version <= to, $"key {key} has version {version}, outside of {from} to {to}");
        else
            Assert.True(HasRemoval(key, from), $"key {key} is not there, and versions were {from} to {to}");
    }

    private bool HasRemoval(int key, long from) => from % 2 != 0 || Volatile.Read(ref _removed[key]) > from;
}
