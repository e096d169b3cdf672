using System;
using System.Collections.Generic;

namespace BigPile.Perf.Traces;

/// <summary>Collects accesses, and numbers their keys.</summary>
internal sealed class TraceBuilder
{
    private readonly Dictionary<long, int> _numbers = [];
    private readonly Dictionary<string, int> _texts = new(StringComparer.Ordinal);
    private readonly List<int> _accesses = [];
    private readonly List<int> _sizes = [];

    internal int Count => _accesses.Count;

    /// <summary>Adds an access to a key that is a number.</summary>
    internal void Add(long key)
    {
        if (!_numbers.TryGetValue(key, out int number))
            _numbers[key] = number = _numbers.Count;
        _accesses.Add(number);
    }

    /// <summary>Adds an access to a key that is a number, with the size of what it leads to.</summary>
    internal void Add(long key, long sizeBytes)
    {
        Add(key);
        RecordSize(sizeBytes);
    }

    /// <summary>Adds an access to a key that is a text. A trace has keys of one kind.</summary>
    internal void Add(ReadOnlySpan<char> key)
    {
        var texts = _texts.GetAlternateLookup<ReadOnlySpan<char>>();
        if (!texts.TryGetValue(key, out int number))
            texts[key] = number = _texts.Count;
        _accesses.Add(number);
    }

    /// <inheritdoc cref="Add(long, long)"/>
    internal void Add(ReadOnlySpan<char> key, long sizeBytes)
    {
        Add(key);
        RecordSize(sizeBytes);
    }

    internal Trace ToTrace(string name)
    {
        int keys = _numbers.Count + _texts.Count;
        return new Trace(name, [.. _accesses], keys, _sizes.Count == 0 ? null : [.. _sizes]);
    }

    // At least 1: every entry takes space.
    private void RecordSize(long sizeBytes)
    {
        if (_accesses[^1] == _sizes.Count)
            _sizes.Add((int)Math.Clamp(sizeBytes, 1, int.MaxValue));
    }
}

/// <summary>Accesses to keys, in the order in which they came. Thread safety: immutable.</summary>
/// <param name="Name">What tables call it: the file's name, or that of a synthetic trace.</param>
/// <param name="Accesses">The keys, numbered from 0 by their first access.</param>
/// <param name="DistinctKeys">How many keys there are.</param>
/// <param name="SizesBytes">Of each key, as it was at its first access, from 1; <see langword="null"/> when the file has no sizes.</param>
internal sealed record Trace(string Name, int[] Accesses, int DistinctKeys, int[]? SizesBytes);
