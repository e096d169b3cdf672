using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Text;

namespace BigPile.Layout;

/// <summary>The changes of the format that a pile makes use of: three words of bits, and the name of each bit that is set.</summary>
/// <remarks>
/// As ext4 has them: each word says what a version does that does not know one of its bits. The names are stored as well, so that such a
/// version can refuse by name. A bit that may be ignored is kept as it was found. Immutable.
/// </remarks>
internal sealed class Features
{
    /// <summary>How many words there are.</summary>
    internal const int WordCount = 3;

    /// <summary>None at all.</summary>
    internal static readonly Features None = new([]);

    /// <summary>Those that this version knows.</summary>
    internal static readonly IReadOnlyList<Feature> Known =
        [Feature.Crc32CBlocks, Feature.LegacyBlockChecksums, Feature.WrittenPageWords, Feature.LayoutEpochs];

    private readonly SortedDictionary<(FeatureWord Word, int Bit), string> _names;

    private Features(SortedDictionary<(FeatureWord Word, int Bit), string> names) => _names = names;

    /// <summary>Those of a pile that is made by this version.</summary>
    internal static Features OfNewPile(bool hasChecksums)
    {
        Features features = None.With(Feature.WrittenPageWords).With(Feature.LayoutEpochs);
        return hasChecksums ? features.With(Feature.Crc32CBlocks) : features;
    }

    /// <summary>The same, with another one.</summary>
    internal Features With(Feature feature) => new(new(_names) { [(feature.Word, feature.Bit)] = feature.Name });

    /// <summary>Whether one is made use of.</summary>
    internal bool Has(Feature feature) => _names.ContainsKey((feature.Word, feature.Bit));

    /// <summary>The name of the first bit of a word that this version does not know; null where it knows all.</summary>
    internal string? Unknown(FeatureWord word) =>
        _names.Where(pair => pair.Key.Word == word && !Known.Any(known => (known.Word, known.Bit) == pair.Key))
            .Select(static pair => $"'{Printable(pair.Value)}' (bit {pair.Key.Bit})").FirstOrDefault();

    // A name is ASCII; whatever else a file has must not reach a terminal.
    private static string Printable(string name) => string.Concat(name.Select(static character => char.IsAscii(character)
        && !char.IsControl(character) ? character : '?'));

    /// <summary>Writes the words, and then the names in their order, each as its length in a byte and its bytes.</summary>
    internal void Write(BinaryWriter writer)
    {
        var words = new ulong[WordCount];
        foreach ((FeatureWord word, int bit) in _names.Keys)
            words[(int)word] |= 1UL << bit;
        foreach (ulong word in words)
            writer.Write(word);
        foreach (string name in _names.Values)
        {
            byte[] text = Encoding.Latin1.GetBytes(name);
            writer.Write(checked((byte)text.Length));
            writer.Write(text);
        }
    }

    /// <summary>Reads what was written.</summary>
    /// <exception cref="EndOfStreamException">There are fewer names than bits.</exception>
    internal static Features Read(BinaryReader reader)
    {
        var words = new ulong[WordCount];
        for (int word = 0; word < WordCount; word++)
            words[word] = reader.ReadUInt64();
        var names = new SortedDictionary<(FeatureWord Word, int Bit), string>();
        for (int word = 0; word < WordCount; word++)
        {
            for (ulong left = words[word]; left != 0; left &= left - 1)
                names[((FeatureWord)word, BitOperations.TrailingZeroCount(left))] = ReadName(reader);
        }
        return new Features(names);
    }

    private static string ReadName(BinaryReader reader)
    {
        int lengthBytes = reader.ReadByte();
        byte[] text = reader.ReadBytes(lengthBytes);
        return text.Length == lengthBytes ? Encoding.Latin1.GetString(text) : throw new EndOfStreamException();
    }
}
