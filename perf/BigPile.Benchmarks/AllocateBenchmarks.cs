using System;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;

namespace BigPile.Benchmarks;

/// <summary>
/// What does it cost to allocate bytes, fill and free them, compared with the collector's arrays and the C library's memory?
/// </summary>
/// <remarks>
/// Once for bytes that are freed at once, and once for bytes that live among 64 MiB of others: each replaces another one chosen at random.
/// All sides copy the same bytes in. The collector's work for its arrays is in their time.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public unsafe class AllocateBenchmarks
{
    private const int KeptBytes = 64 << 20;

    private byte[] _source = [];
    private byte[][] _arrays = [];
    private nint[] _blocks = [];
    private PilePointer[] _pointers = [];
    private Pile _pile = null!;
    private Shuffled _order = null!;

    /// <summary>The bytes of each allocation.</summary>
    [Params(64, 4096, 1 << 20)]
    public int Bytes { get; set; }

    private int Count => KeptBytes / Bytes;

    /// <summary>Creates what all sides need.</summary>
    [GlobalSetup(Targets = [nameof(NewArray), nameof(NativeAllocFree), nameof(PilePutDelete)])]
    public void Prepare()
    {
        _source = new byte[Bytes];
        new Random(1).NextBytes(_source);
        _order = new Shuffled(Count);
        _pile = new Pile();
    }

    /// <summary>Fills an array with arrays.</summary>
    [GlobalSetup(Target = nameof(KeptNewArray))]
    public void KeepArrays()
    {
        Prepare();
        _arrays = new byte[Count][];
        for (int i = 0; i < Count; i++)
            _arrays[i] = _source.AsSpan().ToArray();
    }

    /// <summary>Allocates blocks of native memory.</summary>
    [GlobalSetup(Target = nameof(KeptNativeAllocFree))]
    public void KeepBlocks()
    {
        Prepare();
        _blocks = new nint[Count];
        for (int i = 0; i < Count; i++)
            _blocks[i] = Allocate();
    }

    /// <summary>Fills a pile.</summary>
    [GlobalSetup(Target = nameof(KeptPilePutDelete))]
    public void KeepInPile()
    {
        Prepare();
        _pointers = new PilePointer[Count];
        for (int i = 0; i < Count; i++)
            _pointers[i] = _pile.Put(_source.AsSpan());
    }

    /// <summary>Releases everything.</summary>
    [GlobalCleanup]
    public void End()
    {
        _pile.Dispose();
        foreach (nint block in _blocks)
            NativeMemory.Free((void*)block);
        _blocks = [];
        _arrays = [];
    }

    /// <summary>An array that is dropped at once.</summary>
    [BenchmarkCategory("GoesAtOnce"), Benchmark(Baseline = true)]
    public byte[] NewArray() => _source.AsSpan().ToArray();

    /// <summary>A block of native memory that is freed at once.</summary>
    [BenchmarkCategory("GoesAtOnce"), Benchmark]
    public void NativeAllocFree() => NativeMemory.Free((void*)Allocate());

    /// <summary>An object in a pile that is deleted at once.</summary>
    [BenchmarkCategory("GoesAtOnce"), Benchmark]
    public void PilePutDelete() => _pile.Delete(_pile.Put(_source.AsSpan()));

    /// <summary>An array that replaces another one.</summary>
    [BenchmarkCategory("Stays"), Benchmark(Baseline = true)]
    public void KeptNewArray() => _arrays[_order.Next()] = _source.AsSpan().ToArray();

    /// <summary>A block of native memory that replaces another one.</summary>
    [BenchmarkCategory("Stays"), Benchmark]
    public void KeptNativeAllocFree()
    {
        ref nint block = ref _blocks[_order.Next()];
        NativeMemory.Free((void*)block);
        block = Allocate();
    }

    /// <summary>An object in a pile that replaces another one.</summary>
    [BenchmarkCategory("Stays"), Benchmark]
    public void KeptPilePutDelete()
    {
        ref PilePointer pointer = ref _pointers[_order.Next()];
        _pile.Delete(pointer);
        pointer = _pile.Put(_source.AsSpan());
    }

    private nint Allocate()
    {
        void* block = NativeMemory.Alloc((nuint)Bytes);
        _source.CopyTo(new Span<byte>(block, Bytes));
        return (nint)block;
    }
}
