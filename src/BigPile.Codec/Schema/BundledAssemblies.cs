using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;

namespace BigPile.Codec.Schema;

/// <summary>What a program in a single file is made of.</summary>
/// <remarks>
/// No file and no list says it, so it is found by name: from the entry assembly along the references of each, which the compiler wrote
/// down, and which are the same in every process. An assembly of other people's may lie between two of the application's.
/// </remarks>
internal static class BundledAssemblies
{
    /// <summary>Loads them all, but for the framework's; none, if the program is no single file.</summary>
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

    // Loading runs nothing of it. One that was left out, or can't be loaded, declares nothing that could have been stored.
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
