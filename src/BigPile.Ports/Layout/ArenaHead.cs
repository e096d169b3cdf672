using System.IO;
using System.Threading;

namespace BigPile.Ports.Layout;

/// <summary>The first words of an arena. They are written once, before anybody else can open it.</summary>
internal readonly unsafe struct ArenaHead(byte* at)
{
    private const long Magic = 0x31414E4552415042; // "BPARENA1"
    private const long CurrentVersion = 2;
    private const int CheckedWords = 8;

    private readonly long* _words = (long*)at;

    /// <summary>Whether its maker died before it was whole.</summary>
    internal bool IsUnfinished => Volatile.Read(ref _words[0]) == 0;

    internal long LengthBytes
    {
        get => _words[2];
        set => _words[2] = value;
    }

    internal long GranuleBytes
    {
        get => _words[3];
        set => _words[3] = value;
    }

    internal long Granules
    {
        get => _words[4];
        set => _words[4] = value;
    }

    internal long Ports
    {
        get => _words[5];
        set => _words[5] = value;
    }

    internal long Depth
    {
        get => _words[6];
        set => _words[6] = value;
    }

    internal long MulticastPorts
    {
        get => _words[7];
        set => _words[7] = value;
    }

    /// <summary>Says that it is whole; the last store.</summary>
    internal void Finish()
    {
        _words[1] = CurrentVersion;
        _words[CheckedWords] = Sum();
        Volatile.Write(ref _words[0], Magic);
    }

    /// <exception cref="InvalidDataException">It is another version's, or no arena's, or was changed.</exception>
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
