using System.Linq;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Tests.Allocation;

/// <summary>Flushes of the pool, beside which it changes.</summary>
internal sealed unsafe partial class PagePoolModel
{
    private void Flush()
    {
        var pending = new PendingFrees();
        _pool.BeginSnapshot(++_snapshot, pending);
        Assert.True(_changes.SetEquals(pending.Changed));
        pending.Changed.RemoveAll(address => _map.Find(address, out _) == null); // of a segment that was trimmed
        Assert.Equal(_pendingFrees.Select(static run => run.Meta->FirstAddress), pending.Runs);
        _changes.Clear();
        _runs.ForEach(static run => run.IsFlushed = true);
        Run[] pendingBefore = [.. _pendingFrees];
        PageWord[] words = [.. pending.Changed.Select(WordOf)];
        for (int count = _random.Next(4); count > 0; count--)
        {
            TakePage();
            TakeRun();
            Some(_slotPages, ReturnPage);
            Some(_runs, ReturnRun);
        }
        var changes = new PageChanges();
        for (int i = 0; i < words.Length; i++)
        {
            PageMeta* page = _map.MetaOf(pending.Changed[i]);
            changes.Take(_pool.SegmentOf(page), page, _snapshot);
            Assert.True(changes.Word.Word == words[i].Word || (changes.Word.IsUnused && changes.Word.IsYoungerThan(words[i])));
        }
        pending.Changed.Clear();
        pending.CheckInvariants(_map);
        _pool.CheckInvariants();
        foreach (Run run in pendingBefore)
        {
            uint generation = new BlockHeader(*(ulong*)run.Meta->Start).Generation;
            _pool.ReleaseRun(run.Meta);
            Free(run.Meta, run.Pages, generation);
        }
        Released += pendingBefore.Length;
        _pendingFrees.RemoveRange(0, pendingBefore.Length);
    }

    private PageWord WordOf(ulong address)
    {
        PageMeta* page = _map.MetaOf(address);
        Segment segment = _pool.SegmentOf(page);
        return segment.WordOf(segment.IndexOf(page));
    }
}
