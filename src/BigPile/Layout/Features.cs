using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Text;

namespace BigPile.Layout;

/// <summary>The features that a pile uses: three words of bits, and the name of each set bit.</summary>
/// <remarks>
/// As in ext4: each word says what a version does that does not know one of its bits. The names are stored so that such a version can
/// refuse by name. A bit of the word that may be ignored is kept. Immutable.
/// </remarks>
internal sealed class Features
{
    internal const int WordCount = 3;

    internal static readonly Features None = new([]);

    /// <summary>The features that this version knows.</summary>
    internal static readonly IReadOnlyList<Feature> Known =
        [Feature.Crc32CBlocks, Feature.LegacyBlockChecksums, Feature.WrittenPageWords, Feature.LayoutEpochs,
        Feature.FailSafeEntries, Feature.ChangeFeeds];

    private readonly SortedDictionary<(FeatureWord Word, int Bit), string> _names;

    private Features(SortedDictionary<(FeatureWord Word, int Bit), string> names) => _names = names;

    /// <summary>The features of a pile that this version creates.</summary>
    internal static Features OfNewPile(bool hasChecksums)
    {
        Features features = None.With(Feature.WrittenPageWords).With(Feature.LayoutEpochs);
        return hasChecksums ? features.With(Feature.Crc32CBlocks) : features;
    }

    /// <summary>The same features and another one.</summary>
    internal Features With(Feature feature) => new(new(_names) { [(feature.Word, feature.Bit)] = feature.Name });

    /// <summary>Whether the pile uses a feature.</summary>
    internal bool Has(Feature feature) => _names.ContainsKey((feature.Word, feature.Bit));

    /// <summary>The name of the first bit of a word that this version does not know; null if it knows all.</summary>
    internal string? Unknown(FeatureWord word) =>
        _names.Where(pair => pair.Key.Word == word && !Known.Any(known => (known.Word, known.Bit) == pair.Key))
            .Select(static pair => $"'{Printable(pair.Value)}' (bit {pair.Key.Bit})").FirstOrDefault();

    // Names are ASCII. Other characters from a file must not reach a terminal.
    private static string Printable(string name) => string.Concat(name.Select(static character => char.IsAscii(character)
        && !char.IsControl(character) ? character : '?'));

    /// <summary>Writes the words, and then the names in bit order, each as its length in one byte and its bytes.</summary>
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

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
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

/// <summary>What a version does with a pile that uses a feature that it does not know.</summary>
internal enum FeatureWord
{
    /// <summary>It opens the pile.</summary>
    Ignore,

    /// <summary>It opens the pile for reading only.</summary>
    ReadOnly,

    /// <summary>It does not open the pile.</summary>
    Refuse,
}

/// <summary>A change of the format, identified by the bit that a pile sets when it uses it.</summary>
/// <param name="Word">What a version does that does not know the feature.</param>
/// <param name="Bit">The bit in that word.</param>
/// <param name="Name">Its name, of at most 255 bytes.</param>
internal readonly record struct Feature(FeatureWord Word, int Bit, string Name)
{
    /// <summary>The checksum of a block is the CRC-32C of its header and payload.</summary>
    internal static readonly Feature Crc32CBlocks = new(FeatureWord.Refuse, 0, "crc32c-blocks");

    /// <summary>Blocks of formats 1 to 6 may be there, with their own checksum: <see cref="LegacyChecksum"/>.</summary>
    internal static readonly Feature LegacyBlockChecksums = new(FeatureWord.Refuse, 1, "legacy-block-checksums");

    /// <summary>Heads of table entries may state how long the entry stays behind its expiry. Set with the first such entry.</summary>
    internal static readonly Feature FailSafeEntries = new(FeatureWord.Refuse, 2, "fail-safe-entries");

    /// <summary>Tables may have change feeds, whose windows each change must be told to. Set with the first of them.</summary>
    internal static readonly Feature ChangeFeeds = new(FeatureWord.ReadOnly, 2, "change-feeds");

    /// <summary>The page word of a page of slots has the epoch of the log in which it was laid out.</summary>
    internal static readonly Feature LayoutEpochs = new(FeatureWord.ReadOnly, 1, "layout-epochs");

    /// <summary>In segments whose head says so, no page word and no slot header is zero.</summary>
    internal static readonly Feature WrittenPageWords = new(FeatureWord.ReadOnly, 0, "written-page-words");
}
