using System;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.SingleFlight;

/// <summary>Reads the entry that a factory's value will replace, when the factory asks for it.</summary>
internal abstract class StaleReader<TValue>
{
    private bool _isRead;
    private bool _isThere;
    private TValue? _value;
    private EntryInfo _info;

    /// <summary>The value, once it was read.</summary>
    internal TValue? Value => _value;

    /// <summary>Version, size and times of the entry.</summary>
    internal EntryInfo Info => _info;

    /// <summary>The time since it was put.</summary>
    internal abstract TimeSpan Age { get; }

    /// <summary>Whether there is an entry. It is read once.</summary>
    internal bool TryRead()
    {
        if (!_isRead)
            _isThere = TryRead(out _value, out _info);
        _isRead = true;
        return _isThere;
    }

    private protected abstract bool TryRead([MaybeNullWhen(false)] out TValue value, out EntryInfo info);
}
