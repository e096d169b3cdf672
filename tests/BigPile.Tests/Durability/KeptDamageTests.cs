using System;
using System.IO;
using System.Linq;

namespace BigPile.Tests.Durability;

/// <summary>What changes or moves a part of a damaged block does not give it a right checksum.</summary>
public sealed class KeptDamageTests : DurabilityTest
{
    public static TheoryData<int, bool, bool> Blocks => new()
    {
        { 500, false, false }, { 500, true, false }, { 200_000, false, false }, { 200_000, true, false }, { 500, false, true },
    };

    /// <param name="lengthBytes">Of the object.</param>
    /// <param name="isFlushed">Whether it is copied to be changed.</param>
    /// <param name="isLink">Whether its payload lies behind a link.</param>
    [Theory]
    [MemberData(nameof(Blocks))]
    public void A_write_into_a_damaged_object_is_refused(int lengthBytes, bool isFlushed, bool isLink)
    {
        using (Pile pile = Open())
        {
            PilePointer pointer = pile.Put(new byte[isLink ? 10 : lengthBytes]);
            byte[] value = [.. Enumerable.Range(0, lengthBytes).Select(static i => (byte)(i * 7))];
            pile.Replace(pointer, value);
            if (isFlushed)
                pile.Flush();
            Flip(value, at: 300);
            Assert.Throws<PileStorageException>(() => pile.Write(pointer, new byte[] { 1 }, 0));
            if (lengthBytes > 131_072 && !isFlushed)
                pile.Write(pointer, new byte[] { 1 }, 100_000); // has a checksum of its own
        }
        Assert.False(Pile.VerifyDirectory(PilePath).IsSound);
    }

    [Fact]
    public void Compaction_leaves_a_damaged_payload_where_it_is()
    {
        using (Pile pile = Open())
        {
            PilePointer pointer = pile.Put("short");
            byte[] value = [.. Enumerable.Range(0, 3_000).Select(static i => (byte)(i * 7))];
            pile.Replace(pointer, value);
            Flip(value, at: 300);
            pile.Compact();
        }
        Assert.False(Pile.VerifyDirectory(PilePath).IsSound);
    }

    // Finds the payload by its bytes, and flips one of them in the file, which the map shows at once.
    private void Flip(byte[] value, int at)
    {
        foreach (string path in Directory.GetFiles(PilePath, "segment-*"))
        {
            int found = PileFiles.ReadShared(path).AsSpan().IndexOf(value.AsSpan(0, 256));
            if (found < 0)
                continue;
            using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
            file.Position = found + at;
            file.WriteByte((byte)(value[at] ^ 4));
            return;
        }
        Assert.Fail("the payload is in no segment");
    }
}
