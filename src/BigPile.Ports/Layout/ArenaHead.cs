using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace BigPile.Ports.Layout;

/// <summary>The header of an arena: written once, before any other process can open it.</summary>
internal readonly unsafe struct ArenaHead(byte* at)
{
    private const long Magic = 0x31414E4552415042; // "BPARENA1"
    private const long CurrentVersion = 2;
    private const int CheckedWords = 9;
    private const int RestBytes = (int)ArenaShape.HeadBytes - ((CheckedWords + 1) * sizeof(long));

    private readonly long* _words = (long*)at;

    /// <summary>Whether the creator died before it was finished: nothing follows, not even in the rest of the header page.</summary>
    internal bool IsUnfinished =>
        Volatile.Read(ref _words[0]) == 0 && !new ReadOnlySpan<byte>(_words + CheckedWords + 1, RestBytes).ContainsAnyExcept((byte)0);

    internal ref long LengthBytes => ref _words[2];

    internal ref long GranuleBytes => ref _words[3];

    internal ref long Granules => ref _words[4];

    internal ref long Ports => ref _words[5];

    internal ref long Depth => ref _words[6];

    internal ref long MulticastPorts => ref _words[7];

    /// <summary>The inode number of the lock file; 0 if the system has none.</summary>
    internal ref long LockFile => ref _words[8];

    /// <summary>Marks the header as complete; the last store.</summary>
    internal void Finish()
    {
        Debug.Assert(IsUnfinished, "No process opens an arena before the last store into its header.");
        _words[1] = CurrentVersion;
        _words[CheckedWords] = Sum();
        Volatile.Write(ref _words[0], Magic);
    }

    /// <exception cref="InvalidDataException">The header is of another version, damaged, or not an arena's.</exception>
    internal void Check(string path)
    {
        if (_words[0] != Magic)
            throw new InvalidDataException($"'{path}' is no arena.");
        if (_words[1] != CurrentVersion)
            throw new InvalidDataException($"The arena '{path}' is of version {_words[1]}; this is version {CurrentVersion}.");
        if (_words[CheckedWords] != Sum())
            throw new InvalidDataException($"The head of the arena '{path}' was changed: its checksum does not match.");
    }

    private long Sum()
    {
        ulong sum = Magic;
        for (int i = 1; i < CheckedWords; i++)
            sum = (sum ^ (ulong)_words[i]) * 0x9E3779B97F4A7C15 ^ (sum >> 29);
        return (long)sum;
    }
}
