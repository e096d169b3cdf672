using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Mono.Cecil;

namespace BigPile.Architecture.Tests;

/// <summary>Which projects may use a library's internals by InternalsVisibleTo. All others use its public members.</summary>
public sealed class FriendTests
{
    /// <summary>The most friends. It may only fall.</summary>
    private const int MaxFriends = 23;

    // Each with its reason. A test project is a friend of the library that it tests.
    private static readonly Dictionary<string, string> Known = new(StringComparer.Ordinal)
    {
        ["BigPile.Memory -> BigPile.Files"] = "held files, critical regions, sequence locks",
        ["BigPile.Memory -> BigPile.Hash"] = "sequence locks, checksums, the boot clock",
        ["BigPile.Memory -> BigPile.Ports"] = "held files and directories, system calls",
        ["BigPile.Memory -> BigPile.Codec"] = "texts, padding, invariants",
        ["BigPile.Memory -> BigPile"] = "memory, held files, critical regions, locks",
        ["BigPile.Memory -> BigPile.Caching"] = "locks, critical regions, mapped index files",
        ["BigPile.Memory -> BigPile.Tests"] = "failing file operations; critical regions that a test stops",
        ["BigPile.Memory -> BigPile.Caching.Tests"] = "failing file operations; critical regions that a test stops",
        ["BigPile.Files -> BigPile.Hash"] = "a file that grows under its records",
        ["BigPile.Codec -> BigPile"] = "the codec with the pile's catalog",
        ["BigPile.Codec -> BigPile.Tests"] = "its tests",
        ["BigPile -> BigPile.Caching"] = "blocks, versions and regions of entries, which are no objects to callers",
        ["BigPile -> BigPile.Caching.Tests"] = "power cuts and failing files under a table",
        ["BigPile -> BigPile.Tests"] = "its tests",
        ["BigPile.Caching -> BigPile.Caching.Testing"] = "evictions without a limit, and objects of a pile that tables do not give way to",
        ["BigPile.Caching -> BigPile.Caching.Tests"] = "its tests",
        ["BigPile.AspNetCore -> BigPile.Http"] = "the host while its pile opens, and the tables that it serves by name",
        ["BigPile.AspNetCore -> BigPile.Server"] = "as BigPile.Http; the form of sizes in settings",
        ["BigPile.AspNetCore -> BigPile.AspNetCore.Tests"] = "its tests",
        ["BigPile.Http -> BigPile.Server"] = "limits, problems, loads and exports: the server is the same service as a program",
        ["BigPile.Http -> BigPile.Server.Tests"] = "its tests, and those of the page, which shows what they hold",
        ["BigPile.Server -> BigPile.Server.Tests"] = "its tests",
        ["BigPile.Perf -> BigPile.Perf.Tests"] = "its tests",
    };

    [Fact]
    public void A_library_has_no_friends_but_these()
    {
        string[] found = [.. Directory.EnumerateFiles(SourceTree.Root, "*.csproj", SearchOption.AllDirectories).SelectMany(
            static project => XDocument.Load(project).Descendants("InternalsVisibleTo").Select(
                friend => $"{Path.GetFileNameWithoutExtension(project)} -> {(string?)friend.Attribute("Include")}"))];
        Assert.Equal(Known.Keys.Order(StringComparer.Ordinal), found.Order(StringComparer.Ordinal));
        Assert.InRange(found.Length, 1, MaxFriends);
    }

    // Attributes in the code would be seen only here.
    [Fact]
    public void A_built_library_has_no_friends_but_these()
    {
        using var built = new Built();
        Assert.Empty(LibraryGraph.Stack.SelectMany(library => FriendsOf(built.Read(library)).Select(friend => $"{library} -> {friend}"))
            .Except(Known.Keys, StringComparer.Ordinal));
    }

    [Fact]
    public void The_web_libraries_use_the_public_members_of_piles_and_tables()
    {
        string[] piles = ["BigPile.Memory", "BigPile.Codec", "BigPile", "BigPile.Caching"];
        string[] web = ["BigPile.AspNetCore", "BigPile.Http", "BigPile.Server"];
        using var built = new Built();
        Assert.Empty(
            from library in piles
            from friend in web
            where UsesInternals(built.Read(friend), library)
            select $"{friend} uses internals of {library}");
    }

    [Fact]
    public void A_friend_uses_what_is_internal()
    {
        using var built = new Built();
        Assert.Empty(
            from library in LibraryGraph.Stack
            from friend in FriendsOf(built.Read(library))
            where File.Exists(Built.PathOf(friend)) // a test project may not have been built
            where !UsesInternals(built.Read(friend), library)
            select $"{friend} uses nothing internal of {library}: take its InternalsVisibleTo away.");
    }

    private static IEnumerable<string> FriendsOf(AssemblyDefinition library) =>
        from attribute in library.CustomAttributes
        where attribute.AttributeType.Name == "InternalsVisibleToAttribute"
        select (string)attribute.ConstructorArguments[0].Value;

    private static bool UsesInternals(AssemblyDefinition friend, string library) =>
        friend.MainModule.GetTypeReferences().Where(type => type.Scope.Name == library)
            .Any(static type => type.Resolve() is { } found && !Built.IsSeen(found, isPublic: true))
        || friend.MainModule.GetMemberReferences().Where(member => member.DeclaringType.GetElementType().Scope.Name == library)
            .Any(static member => member.Resolve() is { } found && !IsPublic(found));

    private static bool IsPublic(IMemberDefinition member) => member switch
    {
        MethodDefinition method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        FieldDefinition field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        _ => true,
    };
}
