using System;
using System.IO;
using BigPile.Catalog;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Tests;

/// <summary>The catalog's file, and its checksum.</summary>
public sealed class FileCatalogTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    [Fact]
    public void The_catalog_comes_back_and_a_torn_record_is_cut_off()
    {
        string path = Path.Combine(_temporary.Path, "catalog");
        using (FileCatalog catalog = OpenCatalog())
        {
            Assert.Equal(1, catalog.GetOrAdd([1, 2, 3]));
            Assert.Equal(2, catalog.GetOrAdd([4, 5]));
            Assert.Equal(1, catalog.GetOrAdd([1, 2, 3]));
            Assert.Equal(1, catalog.GetOrAdd(CatalogKind.Table, [1, 2, 3]));
        }
        byte[] whole = File.ReadAllBytes(path);
        for (int lengthBytes = whole.Length; lengthBytes >= 0; lengthBytes--)
        {
            File.WriteAllBytes(path, whole[..lengthBytes]);
            using FileCatalog catalog = OpenCatalog();
            int kept = catalog.Count(CatalogKind.Schema) + catalog.Count(CatalogKind.Table);
            Assert.InRange(kept, lengthBytes == whole.Length ? 3 : 0, lengthBytes == whole.Length ? 3 : 2);
            int next = catalog.Count(CatalogKind.Schema) + 1;
            Assert.Equal(next, catalog.GetOrAdd([99]));
            Assert.True(catalog.TryGet(next, out ReadOnlyMemory<byte> definition));
            Assert.Equal([99], definition.ToArray());
        }
    }

    [Fact]
    public void A_catalog_that_is_damaged_before_its_end_is_refused()
    {
        string path = Path.Combine(_temporary.Path, "catalog");
        using (FileCatalog catalog = OpenCatalog())
        {
            catalog.GetOrAdd([1, 2, 3]);
            catalog.GetOrAdd([4, 5]);
        }
        byte[] bytes = File.ReadAllBytes(path);
        bytes[13] ^= 1;
        File.WriteAllBytes(path, bytes);
        Assert.Contains(path, Assert.Throws<PileStorageException>(() => OpenCatalog()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_checksum_is_the_standard_one() =>
        Assert.Equal(0xE3069283, Checksum.Of("123456789"u8)); // the check value of CRC-32C

    private FileCatalog OpenCatalog()
    {
        using HeldDirectory directory = HeldDirectory.Open(_temporary.Path);
        return FileCatalog.Open(directory, "catalog", NullLogger.Instance);
    }
}
