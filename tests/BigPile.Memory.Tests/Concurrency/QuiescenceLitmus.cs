using System;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>
/// Thread 1 reads published memory in a critical region; thread 0 withdraws it, waits for quiescence, and poisons it. Forbidden: the reader
/// sees the poison. It is the store-buffer test, with the reader's entry as one of the two stores.
/// </summary>
internal sealed class QuiescenceLitmus : LitmusProgram
{
    private const int ColdBytes = 64 << 20; // more than caches hold
    private const int PageBytes = 4_096;
    private const int LineBytes = 64;
    private const int LeastStores = 8;
    private const int MostStores = 40; // fewer than the processor can delay
    private const int Loads = 1_000; // as long as the reclaimer needs
    private const int Good = 1;
    private const int Poison = 2;

    private readonly byte[] _cold = GC.AllocateUninitializedArray<byte>(ColdBytes);
    private readonly CriticalRegions _regions = new();
    private readonly CriticalRegion[] _own;
    private readonly Memory _memory = new();
    private Memory? _published;
    private int _page; // the next one of the cold bytes
    private bool _isPoisonSeen;

    internal QuiescenceLitmus()
    {
        _own = [_regions.Register(), _regions.Register()];
        Array.Fill<byte>(_cold, 1); // the system gives the pages now
    }

    internal override void Prepare()
    {
        _memory.Value = Good;
        _published = _memory;
        _isPoisonSeen = false;
    }

    internal override void Run(int thread, Random random)
    {
        if (thread == 0)
            Reclaim();
        else
            _isPoisonSeen = IsPoisonSeen(_own[1], random.Next(LeastStores, MostStores));
    }

    internal override bool IsForbidden() => _isPoisonSeen;

    private void Reclaim()
    {
        Volatile.Write(ref _published, null);
        _regions.WaitForQuiescence(_own[0]);
        Volatile.Write(ref _memory.Value, Poison);
    }

    private bool IsPoisonSeen(CriticalRegion own, int stores)
    {
        Span<byte> page = _cold.AsSpan(_page, PageBytes);
        // While these stores wait for memory, so does the entry's.
        for (int i = 0; i < stores; i++)
            page[i * 45 % (PageBytes / LineBytes) * LineBytes] = 1;
        own.Enter();
        Memory? memory = Volatile.Read(ref _published);
        bool isSeen = false;
        for (int i = 0; i < Loads && memory != null && !isSeen; i++)
            isSeen = Volatile.Read(ref memory.Value) == Poison;
        own.Exit();
        _page = (_page + PageBytes) % ColdBytes;
        _ = Volatile.Read(ref _cold[_page + 63 * LineBytes]); // its translation is known before the stores
        return isSeen;
    }

    private sealed class Memory : CacheLineIsolated
    {
        internal int Value;
    }
}
