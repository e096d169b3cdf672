using System;
using System.Linq;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Caching.Recovery;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tests.Spill;

/// <summary>What was removed by its tag stays removed, whichever way between memory and file it was on when its mark went.</summary>
public sealed class SpilledMarkTests : IDisposable
{
    private const int Key = -1;
    private const int Others = 1_200; // every sweep visits those that did not stay in memory

    private static readonly EntryOptions Tagged = new() { Tags = ["tag"] };

    private readonly CallingTime _time = new();
    private readonly SpillingCache _cache;

    public SpilledMarkTests()
    {
        _cache = new SpillingCache(_time);
        _cache.Table.Put(Key, SpillingCache.Value(Key), Tagged);
        Displace();
    }

    private CacheTable<int, byte[]> Table => _cache.Table;

    private int Buckets => Table.Core.Sweep.BucketsToSweep;

    public void Dispose()
    {
        _time.CallAt(0, static () => { }); // a close reads the clock as well
        _cache.Dispose();
    }

    /// <summary>At each reading of the clock in turn another thread removes the tag, and sweeps memory to its end or nearly so.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void On_its_way_back(int bucketsLeft)
    {
        int reading = 0;
        do
        {
            Table.Put(Key, SpillingCache.Value(Key), Tagged);
            Displace();
            Table.Sweep();
            _time.CallAt(++reading, () => RemoveAndSweepMemory(bucketsLeft));
            _ = Table.TryGetInfo(Key, out _);
            Table.Core.Sweep.Spilled(int.MaxValue);
            Table.Core.Sweep.Memory(bucketsLeft);
            Table.Sweep();
            Table.Sweep();
            Assert.True(_time.IsWaiting == Table.ContainsKey(Key), $"reading {reading}");
            Assert.True(_time.IsWaiting || Table.Core.Tags.Count == 0);
        }
        while (!_time.IsWaiting);
        Assert.InRange(reading, 3, 1_000);
    }

    /// <summary>At each reading of the clock in turn another thread removes the tag: what follows the entry is removed.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void While_it_is_put_anew_in_its_version(bool touches)
    {
        int reading = 0;
        do
        {
            Table.Put(Key, SpillingCache.Value(Key), Tagged, out EntryInfo info);
            _cache.Displace();
            _time.CallAt(++reading, () => Table.RemoveByTag("tag"));
            if (touches)
                _ = Table.Touch(Key, new EntryOptions { Tags = ["tag"], MaxAge = TimeSpan.FromDays(1) });
            else
                _ = Table.Update(Key, SpillingCache.Value(Key), info.Version, out _, Tagged);
            Assert.True(_time.IsWaiting == Table.ContainsKey(Key), $"reading {reading}");
        }
        while (!_time.IsWaiting);
        Assert.InRange(reading, 3, 1_000);
    }

    /// <summary>A comparison with the pile takes it into a bucket that a round of memory has done, and the file's round follows.</summary>
    [Fact]
    public void Taken_in_behind_a_round_of_memory()
    {
        Table.Clear();
        Table.Put(Key, SpillingCache.Value(Key), Tagged);
        ulong hash = Table.KeyCodec.Probe(Key, stackalloc byte[64]).Hash;
        IndexSlot lost = IndexSlots.TakeOne(Table.Core.Index, hash, out _);
        Table.RemoveByTag("tag");
        Table.Core.Sweep.Memory(Buckets);
        new TableInspection(Table.Core).BeginLate();
        IndexSlots.PutBack(Table.Core.Index, hash, lost);
        new TableInspection(Table.Core).End(Table.Core.DamagedLines);
        Table.Core.Sweep.Spilled(int.MaxValue);
        Assert.False(Table.ContainsKey(Key));
        Table.Sweep();
        Table.Sweep();
        Assert.Equal(0, Table.Core.Tags.Count);
    }

    [Fact]
    public void Taken_out_to_be_written()
    {
        StayOnTheWay(() =>
        {
            Table.RemoveByTag("tag");
            Table.Sweep();
            Table.Sweep();
            Assert.Equal(0, Table.Core.Tags.Count);
        });
        Assert.False(IsAmongSpilled());
        Assert.False(Table.ContainsKey(Key));
        Table.Core.CheckInvariants();
    }

    [Fact]
    public void A_key_that_was_taken_out_to_be_written_is_among_those_that_were_spilled()
    {
        StayOnTheWay(() => Assert.True(IsAmongSpilled()));
        Assert.True(IsAmongSpilled());
    }

    // How many others it takes depends on how they meet in the table's sketch, whose seed is another one each time.
    private void Displace()
    {
        for (int first = 1_000_000; !IsAmongSpilled(); first += Others)
        {
            Assert.True(first < 1_000_000 + 50 * Others, "the key stays in memory");
            _cache.Displace(first, Others);
        }
    }

    private bool IsAmongSpilled()
    {
        byte[] key = Table.KeyCodec.Probe(Key, stackalloc byte[64]).Bytes.ToArray();
        return Table.Core.Disk!.Keys().Any(spilled => spilled.AsSpan().SequenceEqual(key));
    }

    private void RemoveAndSweepMemory(int bucketsLeft)
    {
        Table.RemoveByTag("tag");
        Table.Core.Sweep.Memory(Buckets - bucketsLeft);
    }

    // Runs an action while another thread, which has evicted the key, waits for its stripe lock to write it.
    private void StayOnTheWay(Action action)
    {
        Span<byte> stack = stackalloc byte[64];
        SpillStore spill = Table.Core.Disk!.Store;
        KeyStripe stripe = spill.StripeOf(Table.KeyCodec.Probe(Key, stack).Hash);
        Table.Clear(); // no other key of its stripe is left
        Table.Put(Key, SpillingCache.Value(Key), Tagged);
        bool isOver = false;
        var displacing = new Thread(() =>
        {
            foreach (int other in Enumerable.Range(2_000_000, 100_000).Where(other => StripeOf(other) != stripe))
            {
                if (Volatile.Read(ref isOver))
                    return;
                Table.Put(other, SpillingCache.Value(other));
                _ = Table.TryGet(other, out _); // what is used is worth more than the key, wherever that is queued
            }
        });
        try
        {
            lock (stripe.Lock)
            {
                displacing.Start();
                Eventually.True(() => stripe.Pending().Length != 0 && displacing.ThreadState.HasFlag(ThreadState.WaitSleepJoin));
                action();
            }
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            Assert.True(displacing.Join(Eventually.Timeout));
        }
    }

    private KeyStripe StripeOf(int key)
    {
        Span<byte> stack = stackalloc byte[64];
        return Table.Core.Disk!.Store.StripeOf(Table.KeyCodec.Probe(key, stack).Hash);
    }

    /// <summary>A clock that has another thread do something when it is read for some time, on the thread that said so.</summary>
    private sealed class CallingTime : TimeProvider
    {
        private int _left;
        private int _thread;
        private Action? _action;

        /// <summary>Whether it was not read as often as that.</summary>
        internal bool IsWaiting => _left > 0;

        internal void CallAt(int reading, Action action) =>
            (_thread, _action, _left) = (Environment.CurrentManagedThreadId, action, reading);

        public override long GetTimestamp()
        {
            if (Environment.CurrentManagedThreadId == _thread && _left > 0 && --_left == 0)
            {
                var calling = new Thread(_action!.Invoke) { IsBackground = true };
                calling.Start();
                Assert.True(calling.Join(Eventually.Timeout));
            }
            return TimeProvider.System.GetTimestamp();
        }
    }
}
