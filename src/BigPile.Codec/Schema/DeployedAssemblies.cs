using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.Loader;

namespace BigPile.Codec.Schema;

/// <summary>The assemblies that are deployed with the application, so that each of its later processes has them too.</summary>
/// <remarks>
/// They are in its directory, or bundled in its single file. Stored text never selects which of them are loaded: either none, or all that
/// refer to the library, and in a single file all that are bundled. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class DeployedAssemblies
{
    private static readonly AssemblyLoadContext Context =
        AssemblyLoadContext.GetLoadContext(typeof(PileBuffer).Assembly) ?? AssemblyLoadContext.Default;
    private static readonly Lazy<HashSet<string>> Paths = new(FindPaths);
    private static readonly Lazy<HashSet<Assembly>> Bundled = new(BundledAssemblies.Load);
    private static readonly Lazy<bool> AllOwn = new(LoadOwn);

    /// <summary>Whether a later process finds an assembly by its name alone.</summary>
    public static bool Contains(Assembly assembly)
    {
        if (assembly.IsDynamic || assembly.IsCollectible)
            return false;
        if (!AreLoadedWith(assembly))
            return false;
        return assembly.Location is { Length: > 0 } path ? Paths.Value.Contains(path) : Bundled.Value.Contains(assembly);
    }

    /// <summary>Whether an assembly is in the load context of the application or the library, and so is no plug-in.</summary>
    public static bool AreLoadedWith(Assembly assembly) =>
        AssemblyLoadContext.GetLoadContext(assembly) is { } context && (context == AssemblyLoadContext.Default || context == Context);

    /// <summary>Loads all that refer to the library, once.</summary>
    public static void EnsureOwnAreLoaded() => _ = AllOwn.Value;

    private static HashSet<string> FindPaths()
    {
        var paths = new HashSet<string>();
        if (AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") is string trusted)
            paths.UnionWith(trusted.Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries));
        if (Path.GetDirectoryName(typeof(PileBuffer).Assembly.Location) is { Length: > 0 } beside)
            paths.UnionWith(Directory.GetFiles(beside, "*.dll"));
        return paths;
    }

    private static bool LoadOwn()
    {
        string? framework = Path.GetDirectoryName(typeof(object).Assembly.Location);
        foreach (string path in Paths.Value)
        {
            bool isFramework = Path.GetDirectoryName(path) == framework
                && framework != Path.GetDirectoryName(typeof(PileBuffer).Assembly.Location);
            if (!isFramework && RefersToLibrary(path))
                Load(Path.GetFileNameWithoutExtension(path));
        }
        _ = Bundled.Value;
        return true;
    }

    private static void Load(string name)
    {
        try
        {
            Context.LoadFromAssemblyName(new AssemblyName(name));
        }
        catch (Exception e) when (e is IOException or BadImageFormatException)
        {
            // An assembly that can't be loaded declares no type that could have been stored.
        }
    }

    // Reads the references from the file, so that no third-party assembly is loaded.
    private static bool RefersToLibrary(string path)
    {
        try
        {
            using var file = new PEReader(File.OpenRead(path));
            if (!file.HasMetadata)
                return false;
            MetadataReader metadata = file.GetMetadataReader();
            foreach (AssemblyReferenceHandle handle in metadata.AssemblyReferences)
            {
                if (StoredAssembly.IsLibrary(metadata.GetString(metadata.GetAssemblyReference(handle).Name)))
                    return true;
            }
            return false;
        }
        catch (Exception e) when (e is IOException or BadImageFormatException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}

/// <summary>The names of assemblies in stored type names.</summary>
internal static class StoredAssembly
{
    private const string LibraryName = "BigPile";

    // Types of this assembly are stored under LibraryName: that assembly declared them when they were first stored.
    private const string CodecName = "BigPile.Codec";

    /// <summary>The name under which an assembly's types are stored.</summary>
    public static string? NameOf(Assembly assembly) => assembly.GetName().Name is not CodecName and var name ? name : LibraryName;

    public static bool IsLibrary(string name) => name == LibraryName || name.StartsWith(LibraryName + ".", StringComparison.Ordinal);
}
