using System;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Compares the stored keys of intact records.</summary>
internal sealed class KeyComparer(RecordFile file)
{
    private readonly byte[] _buffer = new byte[RecordFile.BufferBytes];

    internal bool AreEqual(in WholeRecord one, in WholeRecord other) => KeyAt(one.Offset).AsSpan().SequenceEqual(KeyAt(other.Offset));

    private byte[] KeyAt(long offset)
    {
        var location = new RecordLocation { Offset = offset };
        return file.TryReadHead(_buffer, ref location) ? Chains.KeyOf(file, _buffer, location) : throw file.CorruptAt(offset);
    }
}
