using System;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>How a file gets at its bytes. Failures are values, since who reads must leave the file before it throws.</summary>
internal interface IByteStore
{
    /// <summary>Begins to use a file of some length.</summary>
    void Open(HeldFile file, BlockFileOptions options, long lengthBytes);

    /// <summary>Reads bytes that the file has.</summary>
    /// <returns>Why it could not.</returns>
    Exception? Read(long offset, Span<byte> destination);

    /// <summary>Writes bytes for which the file has room.</summary>
    /// <returns>Why it could not.</returns>
    Exception? Write(long offset, ReadOnlySpan<byte> source);

    /// <summary>Is told that the file was made longer.</summary>
    /// <returns>What is to be disposed once nobody who came before is inside.</returns>
    IDisposable? Cover(long lengthBytes);

    /// <summary>Makes the file shorter; nobody uses what goes.</summary>
    /// <returns>The room that the file has, of which all behind its size is zero.</returns>
    long Cut(long fromSize, long toSize, long capacity);

    /// <summary>Hands to the system what it does not have yet.</summary>
    void Flush(long offset, long length);

    /// <summary>Lets go of all but the file, which nobody uses any more.</summary>
    void Release();
}
