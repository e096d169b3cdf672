using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;

namespace BigPile.Codec.Schema;

/// <summary>Finds the assemblies bundled in a single-file program.</summary>
/// <remarks>
/// Such a program has no list of them, so they are found by name, along the references from the entry assembly. The compiler wrote these,
/// so they are the same in every process. The walk passes through third-party assemblies, which may lie between two of the application's.
/// </remarks>
internal static class BundledAssemblies
{
    /// <summary>Loads them all except the framework's; none if the program is not a single file.</summary>
    public static HashSet<Assembly> Load()
    {
        var loaded = new HashSet<Assembly>();
        if (Assembly.GetEntryAssembly() is not { Location.Length: 0 } entry)
            return loaded;
        AssemblyLoadContext context = AssemblyLoadContext.GetLoadContext(entry) ?? AssemblyLoadContext.Default;
        var names = new HashSet<string>();
        var waiting = new Queue<Assembly>([entry]);
        while (waiting.TryDequeue(out Assembly? assembly))
        {
            loaded.Add(assembly);
            foreach (AssemblyName name in assembly.GetReferencedAssemblies())
            {
                if (!FrameworkNames.ComesWithFramework(name) && names.Add(name.Name!) && TryLoad(context, name) is { } referenced)
                    waiting.Enqueue(referenced);
            }
        }
        return loaded;
    }

    // Loading runs no code of the assembly. One that was left out or can't be loaded declares no type that could have been stored.
    private static Assembly? TryLoad(AssemblyLoadContext context, AssemblyName name)
    {
        try
        {
            return context.LoadFromAssemblyName(name);
        }
        catch (Exception e) when (e is IOException or BadImageFormatException)
        {
            return null;
        }
    }
}
