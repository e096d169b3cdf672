using System;
using System.Linq;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Two threads divide a table's evictor at the same time.</summary>
public sealed class EvictorDivisionTests
{
    private const int Hashes = 4_000;
    private const long Many = 1 << 17;

    [Fact]
    public void An_evictor_that_another_thread_has_just_divided_keeps_all_that_it_has()
    {
        using var host = new Host();
        using var evictor = new Evictor(host, new TableCapacity(Many, Many * 100), isCertain: false);
        for (ulong hash = 0; hash < Hashes; hash++)
            evictor.Enter(hash, EntryPriority.Normal, 100, EntryQueue.Main);
        host.Asked = 0;
        host.Entries = Many;
        // asked once under the shard's lock, and then whether it is time to divide: before the answer is there, another thread divides
        host.CallAtSecond = () => evictor.Enter(Hashes, EntryPriority.Normal, 100, EntryQueue.Main);
        evictor.Enter(Hashes + 1, EntryPriority.Normal, 100, EntryQueue.Main);

        Assert.Null(host.CallAtSecond);
        evictor.CheckInvariants();
        EvictionCensus census = evictor.TakeCensus();
        int lost = Enumerable.Range(0, Hashes + 2).Count(
            hash => !evictor.TryTake(census, (ulong)hash, EntryPriority.Normal, isMain: true));
        Assert.True(lost == 0, $"{lost} hashes are in no queue.");
    }

    private sealed class Host : IEvictionHost, IDisposable
    {
        private long _entries;

        public TableIndex Index { get; } = new(new MemoryIndexStorage(), 0);

        public TableCapacity Capacity => new(Many, Many * 100);

        internal int Asked { get; set; }

        internal Action? CallAtSecond { get; set; }

        public long Entries
        {
            get
            {
                if (++Asked == 2 && CallAtSecond is { } call)
                {
                    CallAtSecond = null;
                    call();
                }
                return Math.Max(_entries, Hashes);
            }

            set => _entries = value;
        }

        public bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority) => true;

        public double WeightLocked(SlotPlace place) => 100;

        public void Prefetch(IndexSlot slot)
        {
        }

        public void EvictLocked(SlotPlace place, long now) => Assert.Fail("Nothing has to go.");

        public void Dispose() => Index.Dispose();
    }
}
