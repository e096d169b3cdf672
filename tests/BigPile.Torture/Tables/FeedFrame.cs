using System;
using System.IO;
using BigPile.Caching;

namespace BigPile.Torture.Tables;

/// <summary>What a reader of changes hands to the parent: a batch, or the entries that a table has while nobody changes it.</summary>
/// <param name="Role">The table.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Cursor">Behind the batch; of a list, behind the last batch before it.</param>
/// <param name="Floor">What the window had lost once the batch was read.</param>
/// <param name="Now">The tables' time, in ticks.</param>
/// <param name="Changes">The changes; of a list, the entries. The keys are the journal's.</param>
internal sealed record FeedFrame(
    TableRole Role, ChangeBatchKind Kind, FeedCursor Cursor, ulong Floor, long Now, Change<int, byte[]>[] Changes)
{
    /// <summary>The kind of a list of all entries.</summary>
    internal const ChangeBatchKind Listed = (ChangeBatchKind)100;

    internal void WriteTo(BinaryWriter writer)
    {
        writer.Write((int)Role);
        writer.Write((int)Kind);
        WriteCursor(writer, Cursor);
        writer.Write(Floor);
        writer.Write(Now);
        writer.Write(Changes.Length);
        foreach (Change<int, byte[]> change in Changes)
        {
            writer.Write((byte)change.Kind);
            writer.Write(change.Key);
            writer.Write(change.Version);
            writer.Write(change.GoneUpTo);
            writer.Write(change.ExpiresAt?.UtcTicks ?? 0);
            writer.Write((byte)change.TagHashes.Length);
            foreach (ulong tag in change.TagHashes.Span)
                writer.Write(tag);
        }
    }

    internal static FeedFrame ReadFrom(BinaryReader reader) => new(
        (TableRole)reader.ReadInt32(), (ChangeBatchKind)reader.ReadInt32(), ReadCursor(reader), reader.ReadUInt64(), reader.ReadInt64(),
        ReadMany(reader.ReadInt32(), () => ReadChange(reader)));

    internal static void WriteCursor(BinaryWriter writer, FeedCursor cursor)
    {
        writer.Write(cursor.Epoch);
        writer.Write(cursor.Version);
        writer.Write(cursor.Place);
    }

    internal static FeedCursor ReadCursor(BinaryReader reader) => new(reader.ReadUInt64(), reader.ReadUInt64(), reader.ReadUInt64());

    private static Change<int, byte[]> ReadChange(BinaryReader reader) => new()
    {
        Kind = (ChangeKind)reader.ReadByte(),
        Key = reader.ReadInt32(),
        Version = reader.ReadUInt64(),
        GoneUpTo = reader.ReadUInt64(),
        ExpiresAt = reader.ReadInt64() is var ticks and not 0 ? new DateTimeOffset(ticks, TimeSpan.Zero) : null,
        TagHashes = ReadMany(reader.ReadByte(), reader.ReadUInt64),
    };

    private static T[] ReadMany<T>(int count, Func<T> read)
    {
        var all = new T[count];
        for (int i = 0; i < count; i++)
            all[i] = read();
        return all;
    }
}
