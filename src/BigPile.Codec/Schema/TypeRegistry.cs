using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Schema;

/// <summary>The closed set of types that a payload may name, and their names.</summary>
/// <remarks>
/// These are: types of the application's own assemblies, which are the entry assembly, all that refer to BigPile, and those of types that
/// the application named; what the options allow; the base class library's types that the codec has a format for; and the framework's
/// public interfaces, abstract classes, enumerations and exceptions. No assembly of others is ever loaded because stored text says so:
/// where a name is not found among the loaded ones, all of the application's own are loaded, and of a program in a single file all that
/// it is made of, whatever the name. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class TypeRegistry(PileCodecOptions options, bool outlivesProcess, Lazy<IReadOnlyDictionary<string, Type>> frameworkTypes)
{
    private readonly ConditionalWeakTable<Assembly, StrongBox<bool>> _isOwn = [];
    private readonly ConditionalWeakTable<Assembly, Dictionary<string, Type>> _typesByName = [];

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
    /// Its name leads to another type, or a later process, in which nothing has been put yet, could not find the type by its name.
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
    /// <exception cref="PileSchemaException">There is none that may be used.</exception>
    public Type Resolve(string name) => TypeName.Resolve(name, this);

    /// <summary>The type with a stored name, or null when there is none that may be used.</summary>
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

    /// <summary>A type that is no array and no constructed one.</summary>
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

    // The part of a type that a later process could not find; null when it finds them all.
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
            return $"assembly {unresolvable.Assembly.GetName().Name} is loaded more than once, and {subject} is not of the copy that is meant: "
                + $"call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)} with the copy whose objects the pile is to hold";
        return IsOwn(unresolvable.Assembly)
            ? $"{subject} is of assembly {unresolvable.Assembly.GetName().Name}, which neither lies beside the application nor "
                + "is referred to in its single file, so a later process could not find it: "
                + $"call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)} with the assembly in each process that opens the pile"
            : $"{subject} is neither of the application's own assemblies nor allowed, so a later process could not find it: "
                + $"call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)} in each process that opens the pile";
    }

    // When an assembly is loaded twice, the one that the application named is meant.
    private Type? FindInAllowed(string assemblyName, string fullName)
    {
        foreach (Assembly assembly in options.Assemblies)
        {
            if (StoredAssembly.NameOf(assembly) == assemblyName && TypesOf(assembly).TryGetValue(fullName, out Type? type))
                return type;
        }
        return null;
    }

    // Not every assembly of the application's is loaded when the first payload is read.
    private Type? FindInOwn(string assemblyName, string fullName)
    {
        if (!TrimmingCheck.IsUntrimmed)
            return null; // nobody's types could be read
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

    // A class that has moved to another of the application's assemblies is found by its full name, if that is unique.
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
                named = type; // of an assembly that is loaded twice, the one that was not loaded as a plug-in
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
        // Native AOT does not know what an assembly refers to.
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
