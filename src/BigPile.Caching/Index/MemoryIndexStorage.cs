using System.Runtime.InteropServices;

namespace BigPile.Caching.Index;

/// <summary>An index in the memory of the process.</summary>
internal sealed unsafe class MemoryIndexStorage : IndexStorage
{
    private IndexHead* _head;
    private MemoryLines? _overflow;

    internal MemoryIndexStorage()
    {
        _head = (IndexHead*)NativeMemory.AlignedAlloc(IndexHead.SizeBytes, Bucket.SizeBytes);
        *_head = default;
        _head->Begin();
    }

    internal override bool OutlivesProcess => false;

    internal override IndexHead* Head => _head;

    internal override LineSource Buckets { get; } = new MemoryLines(hugePages: true);

    internal override LineSource Overflow => _overflow ??= new MemoryLines(hugePages: false);

    internal override byte* Cells => null;

    internal override IntentLog? Intents => null;

    internal override void MarkWhole()
    {
    }

    public override void Dispose()
    {
        Buckets.Dispose();
        _overflow?.Dispose();
        NativeMemory.AlignedFree(_head);
        _head = null;
    }
}
