using System;
using BigPile.Caching.Readers;
using BigPile.Http.Limits;

namespace BigPile.Http.Entries;

/// <summary>Copies a small value, or the stored head of a larger one.</summary>
internal struct SmallValueVisitor(ValueBuffer buffer, int maxValueBytes) : IValueVisitor
{
    private int _copiedBytes;

    /// <summary>Whether the whole value was copied.</summary>
    internal bool IsWhole { get; private set; }

    /// <inheritdoc/>
    public void Visit(ReadOnlySpan<byte> value)
    {
        IsWhole = value.Length <= maxValueBytes;
        if (!IsWhole)
            value = value[..StoredValue.MaxHeadBytes];
        _copiedBytes = value.Length;
        value.CopyTo(buffer.GetSpan(_copiedBytes));
    }

    /// <summary>Marks the last copy as written; only after a read that found its entry.</summary>
    internal readonly void Complete() => buffer.Advance(_copiedBytes);
}
