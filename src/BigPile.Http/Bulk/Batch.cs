using System;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
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

    internal ValueBuffer Body => _body;

    /// <summary>The values that were read, concatenated.</summary>
    internal ValueBuffer Values => _values;

    internal int Count { get; private set; }

    internal ReadOnlySpan<byte> Keys => _keys.WrittenSpan;

    internal ReadOnlySpan<int> Ends => _ends.AsSpan(0, Count);

    internal Span<int> Lengths => _lengths.AsSpan(0, Count);

    internal Span<EntryInfo> Infos => _infos.AsSpan(0, Count);

    internal Span<BatchItem> Items => _items.AsSpan(0, Count);

    /// <summary>Rents a batch until the loan is disposed.</summary>
    /// <param name="quota">The quota to charge.</param>
    /// <param name="batch">The batch.</param>
    internal static Loan Lend(BufferQuota quota, out Batch batch)
    {
        batch = Pool.Get();
        batch.Quota = quota;
        batch._body.ChargeTo(quota);
        batch._keys.ChargeTo(quota);
        batch._values.ChargeTo(quota);
        return new Loan(batch);
    }

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

    /// <summary>Returns a batch when it is disposed.</summary>
    internal readonly struct Loan(Batch batch) : IDisposable
    {
        public void Dispose() => Pool.Return(batch);
    }
}

/// <summary>The result of one item of a batch.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Problem">The problem, if the item failed.</param>
/// <param name="Info">Version and expiry of the entry.</param>
/// <param name="ContentType">The payload's content type, if there is a payload.</param>
/// <param name="Coding">How the payload is compressed.</param>
/// <param name="PayloadOffset">The offset of the payload in the values that were read.</param>
/// <param name="PayloadBytes">Its length.</param>
internal readonly record struct BatchItem(
    int Status, Problem? Problem, EntryInfo Info, string? ContentType, ContentCoding Coding, int PayloadOffset, int PayloadBytes)
{
    internal static BatchItem Of(Problem problem) => new(problem.Status, problem, default, null, default, 0, 0);

    internal static BatchItem Of(int status, in EntryInfo info) => new(status, null, info, null, default, 0, 0);
}
