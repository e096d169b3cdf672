using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Layout;
using Xunit.Abstractions;

namespace BigPile.Tests.Allocation;

/// <summary>The bits and words of a page against an array with one state for each slot.</summary>
public sealed unsafe class PageMetaModelTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_page_is_what_an_array_of_its_slots_says(bool tracksFlushed)
    {
        long taken = 0;
        for (int run = 0; run < TestLeg.Steps(20, 6_000); run++)
        {
            int seed = TestLeg.Seed(700) + run;
            output.WriteLine($"seed {seed}");
            using var rig = new Rig(seed, tracksFlushed);
            rig.Run(400);
            taken += rig.Taken;
        }
        output.WriteLine($"slots taken {taken:N0}");
        Assert.NotEqual(0, taken);
    }

    private enum SlotState
    {
        Free,
        Live,
        PendingFree, // since the last snapshot
        Flushing, // before it
        Exhausted,
    }

    private sealed class Rig : IDisposable
    {
        private readonly Random _random;
        private readonly bool _tracksFlushed;
        private readonly PageMeta* _page;
        private readonly byte* _memory;
        private readonly ulong* _flushedBits;
        private SlotState[] _states = [];
        private bool[] _isFlushed = []; // not free at the last snapshot
        private readonly HashSet<int> _changed = []; // unflushed slots that were taken or freed since the last snapshot
        private readonly HashSet<int> _changedBefore = []; // before it, and no flush has taken them
        private int _snapshot = 1;
        private int _lastWord;

        internal Rig(int seed, bool tracksFlushed)
        {
            _random = new Random(seed);
            _tracksFlushed = tracksFlushed;
            _memory = (byte*)NativeMemory.AlignedAlloc(SizeClasses.PageBytes, 4096);
            _page = (PageMeta*)NativeMemory.AlignedAlloc(PageMeta.SizeBytes, PageMeta.SizeBytes);
            _flushedBits = (ulong*)NativeMemory.AllocZeroed(PageMeta.MostBitWords, sizeof(ulong));
            NativeMemory.Clear(_page, PageMeta.SizeBytes);
            _page->Start = _memory;
            _page->PageNumber = 1;
            _page->FlushedBits = tracksFlushed ? _flushedBits : null;
        }

        internal long Taken { get; private set; }

        internal void Run(int steps)
        {
            LayOut();
            for (int step = 0; step < steps; step++)
            {
                Step();
                _page->CheckInvariants();
                Compare();
            }
            _page->Drop();
            _page->CheckInvariants();
        }

        public void Dispose()
        {
            _page->Drop();
            NativeMemory.AlignedFree(_memory);
            NativeMemory.AlignedFree(_page);
            NativeMemory.Free(_flushedBits);
        }

        private void LayOut()
        {
            _page->BringUpTo(_snapshot);
            int sizeClass = _random.Next(4) == 0 ? _random.Next(SizeClasses.Count) : SizeClasses.Count - 1 - _random.Next(60);
            _page->LayOut(sizeClass, allFree: true);
            _states = new SlotState[SizeClasses.PageBytes / SizeClasses.SlotBytes(sizeClass)];
            _isFlushed = new bool[_states.Length];
            _changed.Clear();
            _changedBefore.Clear();
            _lastWord = 0;
            for (int slot = 0; slot < _states.Length; slot++)
                SetHeader(slot, BlockHeader.Free(_page->MaxGeneration));
        }

        private void Step()
        {
            switch (_random.Next(_tracksFlushed ? 12 : 8))
            {
                case < 5:
                    Take();
                    break;
                case < 8:
                    Free();
                    break;
                case 8:
                    BeginSnapshot();
                    break;
                case 9:
                    ClearFlushed();
                    break;
                default:
                    FlushPendingFrees();
                    break;
            }
            if (_page->IsAllFree && _random.Next(20) == 0)
            {
                _page->Drop();
                _page->CheckInvariants();
                LayOut();
            }
        }

        private void Take()
        {
            List();
            for (int count = _random.Next(1, 1 + _states.Length / 4 + 1); count > 0 && _states.Contains(SlotState.Free); count--)
            {
                int slot = _page->TakeSlot();
                Assert.Equal(Expected(), slot);
                _lastWord = slot / 64;
                _states[slot] = SlotState.Live;
                _changed.Add(slot);
                SetHeader(slot, new BlockHeader(BlockKind.Bytes, HeaderOf(slot).Generation, 0));
                Taken++;
            }
        }

        // As a list of changed pages does before a slot is taken or freed.
        private void List()
        {
            _page->BringUpTo(_snapshot);
            _page->ListSnapshot = _snapshot;
        }

        // The first free one of the words from the last one on.
        private int Expected()
        {
            int words = (_states.Length + 63) / 64;
            return Enumerable.Range(_lastWord, words).Select(word => word % words)
                .SelectMany(word => Enumerable.Range(word * 64, Math.Min(64, _states.Length - word * 64)))
                .First(slot => _states[slot] == SlotState.Free);
        }

        private void Free()
        {
            for (int count = _random.Next(1, 1 + _states.Length / 3 + 1); count > 0 && TryAny(SlotState.Live, out int slot); count--)
            {
                BlockHeader freed = HeaderOf(slot).Freed;
                SetHeader(slot, freed);
                _page->MaxGeneration = Math.Max(_page->MaxGeneration, freed.Generation);
                Assert.Equal(_isFlushed[slot], _page->IsFlushed(slot, _snapshot));
                List();
                Assert.Equal(_isFlushed[slot], _page->AddFreed(slot));
                if (_isFlushed[slot])
                {
                    _states[slot] = SlotState.PendingFree;
                    continue;
                }
                _changed.Add(slot);
                _page->ReturnSlot(slot);
                _states[slot] = SlotState.Free;
            }
        }

        // Nothing is done to the page: the next change, or the flush, brings it up to the snapshot.
        private void BeginSnapshot()
        {
            _snapshot++;
            _changedBefore.UnionWith(_changed);
            _changed.Clear();
            for (int slot = 0; slot < _states.Length; slot++)
            {
                _isFlushed[slot] = _states[slot] != SlotState.Free;
                if (_states[slot] == SlotState.PendingFree)
                    _states[slot] = SlotState.Flushing;
            }
        }

        private void ClearFlushed()
        {
            if (!TryAny(SlotState.Live, out int slot))
                return;
            _page->BringUpTo(_snapshot);
            _page->ClearFlushed(slot);
            if (_isFlushed[slot])
                _changed.Add(slot);
            _isFlushed[slot] = false;
        }

        private void FlushPendingFrees()
        {
            if (_random.Next(3) != 0)
                BeginSnapshot();
            if (_random.Next(3) == 0)
                Take(); // between the snapshot and the flush's coming to the page
            if (_random.Next(3) == 0)
                Free();
            var changed = new ulong[_page->WordCount];
            var taken = new ulong[_page->WordCount];
            var flushed = new ulong[_page->WordCount];
            _page->BringUpTo(_snapshot);
            _page->TakeChanges(changed, taken, flushed);
            for (int slot = 0; slot < _states.Length; slot++)
            {
                Assert.Equal(_states[slot] == SlotState.Flushing, (taken[slot / 64] >> slot & 1) != 0);
                Assert.Equal(_changedBefore.Contains(slot), (changed[slot / 64] >> slot & 1) != 0);
                Assert.Equal(_isFlushed[slot], (flushed[slot / 64] >> slot & 1) != 0);
            }
            _changedBefore.Clear();
            _page->CheckInvariants();
            Compare();
            if (_random.Next(3) == 0)
                Free(); // between the flush's snapshot and its end
            ulong[] exhausted = [.. taken.Select(bits => bits & SparseBits())];
            _page->Release(taken, exhausted);
            for (int slot = 0; slot < _states.Length; slot++)
            {
                if (_states[slot] != SlotState.Flushing)
                    continue;
                _states[slot] = (exhausted[slot / 64] >> slot & 1) != 0 ? SlotState.Exhausted : SlotState.Free;
                _isFlushed[slot] = false;
                if (_states[slot] == SlotState.Exhausted)
                    _changed.Add(slot); // recorded once more, which does no harm
            }
        }

        private ulong SparseBits() => (ulong)(_random.NextInt64() & _random.NextInt64() & _random.NextInt64());

        private bool TryAny(SlotState state, out int found)
        {
            int start = _random.Next(_states.Length);
            for (int i = 0; i < _states.Length; i++)
            {
                found = (start + i) % _states.Length;
                if (_states[found] == state)
                    return true;
            }
            found = -1;
            return false;
        }

        private void Compare()
        {
            Assert.Equal(_states.Length, _page->SlotCount);
            Assert.Equal(_states.Count(static state => state == SlotState.Free), _page->FreeCount);
            Assert.Equal(_states.Count(static state => state == SlotState.Exhausted), _page->ExhaustedCount);
            Assert.Equal(_states.Count(static state => state is SlotState.PendingFree or SlotState.Flushing), _page->PendingFreeCount);
            for (int slot = 0; slot < _states.Length; slot++)
            {
                if ((_states[slot] == SlotState.Free) != _page->IsFree(slot))
                    Assert.Fail($"slot {slot} is {_states[slot]}");
                if (_states[slot] != SlotState.Free && _isFlushed[slot] != _page->IsFlushed(slot, _snapshot))
                    Assert.Fail($"slot {slot}: flushed is {!_isFlushed[slot]}");
            }
        }

        private BlockHeader HeaderOf(int slot) => new(*(ulong*)_page->BlockAt(slot));

        private void SetHeader(int slot, BlockHeader header) => *(ulong*)_page->BlockAt(slot) = header.Word;
    }
}
