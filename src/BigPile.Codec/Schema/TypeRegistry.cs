using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Schema;

/// <summary>The closed set of types that a payload may name, and their names.</summary>
/// <remarks>
/// The set has four parts. First, types of the application's own assemblies: the entry assembly, all that refer to BigPile, and those of
/// types that the application named. Second, types that the options allow. Third, the base class library's types that the codec has a
/// format for. Fourth, the framework's public interfaces, abstract classes, enumerations and exceptions.
/// Stored text never makes the codec load a third-party assembly. If no loaded assembly has a name, the codec loads all of the
/// application's own assemblies, and in a single-file program all that are bundled, whatever the name.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class TypeRegistry(PileCodecOptions options, bool outlivesProcess, Lazy<IReadOnlyDictionary<string, Type>> frameworkTypes)
{
    // Whether an assembly is the application's own: a cache.
    private readonly ConditionalWeakTable<Assembly, StrongBox<bool>> _isOwn = [];

    // The types of an assembly by full name: a cache.
    private readonly ConditionalWeakTable<Assembly, Dictionary<string, Type>> _typesByName = [];

    // The types of an assembly by former full name: a cache.
    private readonly ConditionalWeakTable<Assembly, Dictionary<string, Type>> _renamed = [];

    /// <summary>Whether objects of a class or structure may be stored by their fields.</summary>
    public bool IsAllowed(Type type)
    {
        Type definition = type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
        return options.Types.Contains(definition) || IsOwn(definition.Assembly);
    }

    public string NameOf(Type type) => TypeName.Of(type, IsFramework);

    /// <summary>The name of a type whose objects are about to be stored.</summary>
    /// <exception cref="RefusedException">
    /// The name leads to another type, or a later process that has put nothing yet could not find the type by its name.
    /// </exception>
    public string NameToStore(Type type)
    {
        string name = NameOf(type);
        if (FindUnresolvable(type) is { } unresolvable)
            throw new RefusedException(type, $"Type {type} can't be stored: {WhyUnresolvable(type, unresolvable)}.");
        if (TryResolve(name) != type)
            throw new RefusedException(type, $"Type {type} can't be stored: its name is nested too deep.");
        return name;
    }

    /// <summary>The type with a stored name.</summary>
    /// <exception cref="PileSchemaException">There is none, or it is not allowed.</exception>
    public Type Resolve(string name) => TypeName.Resolve(name, this);

    /// <summary>The type with a stored name, or null if there is none, or it is not allowed.</summary>
    public Type? TryResolve(string name)
    {
        try
        {
            return Resolve(name);
        }
        catch (PileSchemaException)
        {
            return null;
        }
    }

    /// <summary>Finds a type that is neither an array nor a constructed type, or null.</summary>
    internal Type? Find(string? assemblyName, string fullName)
    {
        if (assemblyName is null)
            return frameworkTypes.Value.GetValueOrDefault(fullName);
        foreach (Type type in options.Types)
        {
            if (type.FullName == fullName && StoredAssembly.NameOf(type.Assembly) == assemblyName)
                return type;
        }
        return FindInAllowed(assemblyName, fullName) ?? FrameworkNames.Find(assemblyName, fullName) ?? FindInOwn(assemblyName, fullName);
    }

    // The first part of a type (element, definition or argument) that a later process could not find; null if it finds them all.
    private Type? FindUnresolvable(Type type)
    {
        if (type.HasElementType)
            return FindUnresolvable(type.GetElementType()!);
        if (!type.IsConstructedGenericType)
            return IsResolvableLater(type) ? null : type;
        Type definition = type.GetGenericTypeDefinition();
        if (!IsResolvableLater(definition))
            return definition;
        foreach (Type argument in type.GetGenericArguments())
        {
            if (FindUnresolvable(argument) is { } unresolvable)
                return unresolvable;
        }
        return null;
    }

    private bool IsResolvableLater(Type definition)
    {
        if (IsFramework(definition))
            return true;
        Assembly assembly = definition.Assembly;
        bool isLasting = options.Types.Contains(definition) || options.Assemblies.Contains(assembly)
            || assembly == Assembly.GetEntryAssembly()
            || FrameworkNames.IsNameOnly(definition)
            || (IsOwn(assembly) && (!outlivesProcess || DeployedAssemblies.Contains(assembly)));
        return isLasting && FindAgain(definition) == definition;
    }

    private Type? FindAgain(Type definition) => Find(StoredAssembly.NameOf(definition.Assembly), definition.FullName!);

    private string WhyUnresolvable(Type type, Type unresolvable)
    {
        string subject = unresolvable == type || (type.IsConstructedGenericType && type.GetGenericTypeDefinition() == unresolvable)
            ? "it"
            : $"{unresolvable} in it";
        if (IsOwn(unresolvable.Assembly) && FindAgain(unresolvable) is { } other && other != unresolvable)
            return $"assembly {unresolvable.Assembly.GetName().Name} is loaded more than once, and {subject} is of another copy than the "
                + $"codec uses: call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)} with the copy whose objects are stored";
        return IsOwn(unresolvable.Assembly)
            ? $"{subject} is of assembly {unresolvable.Assembly.GetName().Name}, which is neither in the application's directory nor "
                + "referred to in its single file, so a later process could not find it: "
                + $"call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)} with the assembly in each process that opens the pile"
            : $"{subject} is neither of the application's own assemblies nor allowed, so a later process could not find it: "
                + $"call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)} in each process that opens the pile";
    }

    // If an assembly is loaded twice, the copy that the application allowed is used.
    private Type? FindInAllowed(string assemblyName, string fullName)
    {
        foreach (Assembly assembly in options.Assemblies)
        {
            if (StoredAssembly.NameOf(assembly) == assemblyName && TypesOf(assembly).TryGetValue(fullName, out Type? type))
                return type;
        }
        return null;
    }

    // Searches the loaded assemblies first, then loads all of the application's: not all are loaded when the first payload is read.
    private Type? FindInOwn(string assemblyName, string fullName)
    {
        if (!TrimmingCheck.IsUntrimmed)
            return null; // in a trimmed program no type could be read
        if (FindInLoaded(assemblyName, fullName, out _) is { } type)
            return type;
        DeployedAssemblies.EnsureOwnAreLoaded();
        return FindInLoaded(assemblyName, fullName, out Type? relocated) ?? FindRenamed(fullName) ?? relocated;
    }

    private Type? FindRenamed(string fullName)
    {
        if (options.FormerTypes.TryGetValue(fullName, out Type? renamed))
            return renamed;
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (IsOwn(assembly) && _renamed.GetValue(assembly, static a => FormerNames.TypesOf(a)).TryGetValue(fullName, out renamed))
                return renamed;
        }
        return null;
    }

    // A class that is now in another of the application's assemblies is found by its full name, if this is unique.
    private Type? FindInLoaded(string assemblyName, string fullName, out Type? relocated)
    {
        var found = new List<Type>();
        Type? named = null;
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (!IsOwn(assembly) || !TypesOf(assembly).TryGetValue(fullName, out Type? type))
                continue;
            found.Add(type);
            if (StoredAssembly.NameOf(assembly) == assemblyName && (named is null || DeployedAssemblies.AreLoadedWith(assembly)))
                named = type; // if an assembly is loaded twice: the copy that is no plug-in
        }
        relocated = named is null && found.Count == 1 ? found[0] : null;
        return named;
    }

    private bool IsFramework(Type definition) =>
        !IsOwn(definition.Assembly) && frameworkTypes.Value.GetValueOrDefault(definition.FullName!) == definition;

    private bool IsOwn(Assembly assembly) => _isOwn.GetValue(assembly, a => new StrongBox<bool>(CheckOwn(a))).Value
        || options.NamedAssemblies.TryGetValue(assembly, out _);

    private bool CheckOwn(Assembly assembly)
    {
        if (assembly == Assembly.GetEntryAssembly() || options.Assemblies.Contains(assembly) || IsBigPile(assembly.GetName()))
            return true;
        // Native AOT keeps no assembly references.
        return !assembly.IsDynamic && TrimmingCheck.IsUntrimmed && Array.Exists(assembly.GetReferencedAssemblies(), IsBigPile);
    }

    private static bool IsBigPile(AssemblyName name) => name.Name is { } text && StoredAssembly.IsLibrary(text);

    private Dictionary<string, Type> TypesOf(Assembly assembly) => _typesByName.GetValue(assembly, static a =>
    {
        var types = new Dictionary<string, Type>();
        foreach (Type? type in LoadableTypes(a))
        {
            if (type?.FullName is { } name)
                types[name] = type;
        }
        return types;
    });

    internal static Type?[] LoadableTypes(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException e)
        {
            return e.Types;
        }
    }
}
