using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;

namespace BigPile.Tests;

/// <summary>One assembly in two compiled versions: the first writes a mapped pile, the second reads it.</summary>
public sealed class AssemblyEvolutionTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void A_class_that_gained_lost_and_reordered_members_is_read_by_their_names()
    {
        PilePointer pointer = WriteWithFirst("Evolution.Customer");
        Assembly second = Load("Second");
        using Pile pile = Open(second);
        object customer = pile.Get(pointer);
        Assert.Equal(second.GetType("Evolution.Customer"), customer.GetType());
        object? description = customer.GetType().GetMethod("Describe")!.Invoke(customer, null);
        Assert.Equal("Ann 41 - 6:1:False,7:12.5:False True", description);

        pile.Replace(pointer, customer); // in the new schema from now on, beside what is still in the old one
        Assert.Equal(description, customer.GetType().GetMethod("Describe")!.Invoke(pile.Get(pointer), null));
    }

    [Fact]
    public void A_member_that_changed_its_type_is_refused_by_type_and_name()
    {
        PilePointer pointer = WriteWithFirst("Evolution.Misfit");
        using Pile pile = Open(Load("Second"));
        var error = Assert.Throws<PileSchemaException>(() => pile.Get(pointer));
        Assert.Contains("Evolution.Misfit", error.Message, StringComparison.Ordinal);
        Assert.Contains("Amount", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_whose_assembly_is_not_allowed_is_never_made()
    {
        PilePointer pointer = WriteWithFirst("Evolution.Customer");
        using Pile pile = Pile.Open(_directory.Path);
        var error = Assert.ThrowsAny<PileSerializationException>(() => pile.Get(pointer));
        Assert.Contains("Evolution.Customer", error.Message, StringComparison.Ordinal);
        Assert.NotEmpty(pile.GetBytes(pointer));
    }

    [Fact]
    public void An_assembly_that_was_loaded_from_bytes_must_be_allowed_since_a_later_process_does_not_have_it()
    {
        using FileStream file = File.OpenRead(PathOf("Published.Loose", "Published.Loose.dll"));
        Assembly loaded = AssemblyLoadContext.Default.LoadFromStream(file);
        object voucher = Activator.CreateInstance(loaded.GetType("Published.Loose.Voucher")!, "WELCOME", default(PilePointer))!;
        using (Pile pile = Pile.Open(_directory.Path))
            Assert.Contains("Allow", Assert.Throws<PileSerializationException>(() => pile.Put(voucher)).Message, StringComparison.Ordinal);
        using (Pile pile = Open(loaded))
            Assert.Equal(voucher, pile.Get(pile.Put(voucher)));
    }

    private static Assembly Load(string version) => new AssemblyLoadContext(version, isCollectible: true)
        .LoadFromAssemblyPath(PathOf("Evolution." + version, "Evolution.dll"));

    private static string PathOf(string project, string file)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        return Path.Combine(SourceTree.Root, "artifacts/bin", project, configuration, file);
    }

    private PilePointer WriteWithFirst(string typeName)
    {
        Assembly first = Load("First");
        using Pile pile = Open(first);
        return pile.Put(first.GetType(typeName)!.GetMethod("Sample")!.Invoke(null, null)!);
    }

    private Pile Open(Assembly allowed) =>
        Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20, CodecOptions = new PileCodecOptions().Allow(allowed) });
}
