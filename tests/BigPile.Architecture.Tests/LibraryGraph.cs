using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using ArchUnitNET.Domain;
using ArchUnitNET.Loader;

namespace BigPile.Architecture.Tests;

/// <summary>The dependencies in the built libraries, between folders and the types at the root.</summary>
internal static class LibraryGraph
{
    /// <summary>The libraries and the server, lowest first: none uses a later one.</summary>
    internal static ImmutableArray<string> Stack { get; } =
    [
        "BigPile.Memory", "BigPile.Files", "BigPile.Hash", "BigPile.Ports", "BigPile.Codec", "BigPile",
        "BigPile.MessagePackCSharp", "BigPile.OpenTelemetry", "BigPile.Caching", "BigPile.Caching.Testing", "BigPile.AspNetCore",
        "BigPile.Http", "BigPile.Aspire.Hosting", "BigPile.Server",
    ];

    private static readonly Lazy<ArchUnitNET.Domain.Architecture> Loaded = new(Load);

    /// <summary>The dependencies inside a library. A node is a folder or, at the root where the public types are, a type.</summary>
    /// <param name="library">A name of <see cref="Stack"/>.</param>
    internal static Dictionary<string, SortedSet<string>> UsesIn(string library)
    {
        var uses = new Dictionary<string, SortedSet<string>>(StringComparer.Ordinal);
        foreach (IType type in Loaded.Value.Types.Where(type => IsOf(type, library)))
        {
            SortedSet<string> used = uses.TryGetValue(NodeOf(type, library), out SortedSet<string>? known)
                ? known
                : uses[NodeOf(type, library)] = new SortedSet<string>(StringComparer.Ordinal);
            used.UnionWith(type.Dependencies.Select(
                static dependency => dependency.Target).Where(target => target is not GenericParameter && IsOf(target, library))
                .Select(target => NodeOf(target, library)).Where(node => node != NodeOf(type, library)));
        }
        return uses;
    }

    private static bool IsOf(IType type, string library) =>
        type.Assembly?.Name.Split(',')[0] == library && type.Namespace?.FullName.StartsWith("BigPile", StringComparison.Ordinal) == true;

    private static string NodeOf(IType type, string library)
    {
        string folder = type.Namespace.FullName;
        return folder == library || folder.Length < library.Length ? OuterNameOf(type) : folder[(library.Length + 1)..] + "/";
    }

    // Of "A+B`1", or of an array of it: A.
    private static string OuterNameOf(IType type)
    {
        string name = type.FullName[(type.Namespace.FullName.Length + 1)..];
        return name[..(name.IndexOfAny(['+', '`', '[', '<', '&', '*']) is >= 0 and int end ? end : name.Length)];
    }

    private static ArchUnitNET.Domain.Architecture Load() => new ArchLoader()
        .LoadAssemblies(
            [.. Stack.Select(static name => System.Reflection.Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, name + ".dll")))])
        .Build();
}
