using System;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;

namespace BigPile.Benchmarks;

/// <summary>
/// What does it cost to copy bytes out of a pile, and to overwrite them there, compared with plain copies in native memory?
/// </summary>
/// <remarks>
/// All sides copy the same bytes and go through 64 MiB in the same random order: more than a processor's own cache. A pile finds the bytes
/// by the pointer, and protects them from concurrent changes.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public unsafe class CopyBenchmarks
{
    private const int TotalBytes = 64 << 20;

    private Pile _pile = null!;
    private PilePointer[] _pointers = [];
    private byte* _native;
    private byte[] _buffer = [];
    private Shuffled _order = null!;

    /// <summary>The bytes of each copy.</summary>
    [Params(64, 4096, 1 << 20)]
    public int Bytes { get; set; }

    /// <summary>Creates both sides with equal bytes.</summary>
    [GlobalSetup]
    public void Prepare()
    {
        int count = TotalBytes / Bytes;
        _order = new Shuffled(count);
        _buffer = new byte[Bytes];
        new Random(1).NextBytes(_buffer);
        _native = (byte*)NativeMemory.Alloc(TotalBytes);
        _pile = new Pile();
        _pointers = new PilePointer[count];
        for (int i = 0; i < count; i++)
        {
            _buffer.CopyTo(new Span<byte>(_native + (long)i * Bytes, Bytes));
            _pointers[i] = _pile.Put(_buffer.AsSpan());
        }
    }

    /// <summary>Releases everything.</summary>
    [GlobalCleanup]
    public void End()
    {
        _pile.Dispose();
        NativeMemory.Free(_native);
    }

    /// <summary>A copy out of native memory.</summary>
    [BenchmarkCategory("Read"), Benchmark(Baseline = true)]
    public byte Memcpy()
    {
        new ReadOnlySpan<byte>(_native + (long)_order.Next() * Bytes, Bytes).CopyTo(_buffer);
        return _buffer[^1];
    }

    /// <summary>A copy out of the pile.</summary>
    [BenchmarkCategory("Read"), Benchmark]
    public byte PileRead()
    {
        _pile.Read(_pointers[_order.Next()], _buffer);
        return _buffer[^1];
    }

    /// <summary>The same by a lease, which can be read without a copy.</summary>
    [BenchmarkCategory("Read"), Benchmark]
    public byte PileLeaseAndCopy()
    {
        using PileLease lease = _pile.Lease(_pointers[_order.Next()]);
        lease.Span.CopyTo(_buffer);
        return _buffer[^1];
    }

    /// <summary>A copy into native memory.</summary>
    [BenchmarkCategory("Overwrite"), Benchmark(Baseline = true)]
    public void MemcpyInto() => _buffer.CopyTo(new Span<byte>(_native + (long)_order.Next() * Bytes, Bytes));

    /// <summary>A copy into the pile, which others may read concurrently.</summary>
    [BenchmarkCategory("Overwrite"), Benchmark]
    public void PileWrite() => _pile.Write(_pointers[_order.Next()], _buffer);
}
