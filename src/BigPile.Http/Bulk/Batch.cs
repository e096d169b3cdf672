using System;
using BigPile.Caching;
using BigPile.Http.Limits;
using Microsoft.Extensions.ObjectPool;

namespace BigPile.Http.Bulk;

/// <summary>The pooled state of a batch request: no allocation per key or value.</summary>
/// <remarks>Thread safety: none; a batch belongs to one request at a time.</remarks>
internal sealed class Batch : IResettable
{
    private const int InitialItems = 64;

    private static readonly DefaultObjectPool<Batch> Pool = new(new DefaultPooledObjectPolicy<Batch>(), maximumRetained: 256);

    private readonly ValueBuffer _body = new();
    private readonly ValueBuffer _keys = new();
    private readonly ValueBuffer _values = new();
    /// <summary>Where each key ends in <see cref="Keys"/>.</summary>
    private int[] _ends = new int[InitialItems];
    /// <summary>The length of each value that was read, in bytes.</summary>
    private int[] _lengths = new int[InitialItems];
    private EntryInfo[] _infos = new EntryInfo[InitialItems];
    private BatchItem[] _items = new BatchItem[InitialItems];

    /// <summary>The quota that the buffers are charged to.</summary>
    internal BufferQuota? Quota { get; private set; }

    /// <summary>The request's body.</summary>
    internal ValueBuffer Body => _body;

    /// <summary>The values that were read, concatenated.</summary>
    internal ValueBuffer Values => _values;

    /// <summary>The number of keys.</summary>
    internal int Count { get; private set; }

    internal ReadOnlySpan<byte> Keys => _keys.WrittenSpan;

    internal ReadOnlySpan<int> Ends => _ends.AsSpan(0, Count);

    internal Span<int> Lengths => _lengths.AsSpan(0, Count);

    internal Span<EntryInfo> Infos => _infos.AsSpan(0, Count);

    internal Span<BatchItem> Items => _items.AsSpan(0, Count);

    /// <summary>Rents a batch.</summary>
    /// <param name="quota">The quota to charge.</param>
    internal static Batch Rent(BufferQuota quota)
    {
        Batch batch = Pool.Get();
        batch.Quota = quota;
        batch._body.ChargeTo(quota);
        batch._keys.ChargeTo(quota);
        batch._values.ChargeTo(quota);
        return batch;
    }

    internal static void Return(Batch batch) => Pool.Return(batch);

    /// <summary>A key.</summary>
    internal ReadOnlySpan<byte> Key(int index) => Keys[(index == 0 ? 0 : _ends[index - 1]).._ends[index]];

    /// <summary>A buffer for a key; <see cref="AddKey(int)"/> states how much of it was written.</summary>
    internal Span<byte> GetKeySpan(int maxBytes) => _keys.GetSpan(maxBytes);

    /// <summary>Adds the key that was written to the buffer.</summary>
    internal void AddKey(int lengthBytes)
    {
        _keys.Advance(lengthBytes);
        if (Count == _ends.Length)
            Grow();
        _ends[Count++] = _keys.WrittenSpan.Length;
    }

    /// <summary>Adds a key.</summary>
    internal void AddKey(ReadOnlySpan<byte> key)
    {
        key.CopyTo(GetKeySpan(key.Length));
        AddKey(key.Length);
    }

    /// <inheritdoc/>
    public bool TryReset()
    {
        _ = _body.TryReset();
        _ = _keys.TryReset();
        _ = _values.TryReset();
        _items.AsSpan(0, Count).Clear();
        Count = 0;
        return _ends.Length <= 16 * InitialItems; // a large batch is not pooled
    }

    private void Grow()
    {
        int capacity = _ends.Length * 2;
        Array.Resize(ref _ends, capacity);
        Array.Resize(ref _lengths, capacity);
        Array.Resize(ref _infos, capacity);
        Array.Resize(ref _items, capacity);
    }
}
