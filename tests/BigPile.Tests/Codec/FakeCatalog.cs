using System;
using System.Collections.Generic;
using BigPile.Codec.Schema;

namespace BigPile.Tests.Codec;

/// <summary>A catalog in memory.</summary>
internal sealed class FakeCatalog : ISchemaCatalog
{
    private readonly List<byte[]> _definitions = [];

    public bool OutlivesProcess { get; init; } = true;

    public int Count
    {
        get
        {
            lock (_definitions)
                return _definitions.Count;
        }
    }

    /// <summary>A catalog with the same ids and other definitions.</summary>
    public FakeCatalog Copy(Func<byte[], byte[]> change)
    {
        var copy = new FakeCatalog { OutlivesProcess = OutlivesProcess };
        foreach (byte[] definition in _definitions)
            copy._definitions.Add(change(definition));
        return copy;
    }

    public int GetOrAdd(ReadOnlySpan<byte> definition)
    {
        lock (_definitions)
        {
            for (int i = 0; i < _definitions.Count; i++)
            {
                if (definition.SequenceEqual(_definitions[i]))
                    return i + 1;
            }
            _definitions.Add(definition.ToArray());
            return _definitions.Count;
        }
    }

    public bool TryGet(int id, out ReadOnlyMemory<byte> definition)
    {
        lock (_definitions)
        {
            bool isKnown = id > 0 && id <= _definitions.Count;
            definition = isKnown ? _definitions[id - 1] : default;
            return isKnown;
        }
    }
}
