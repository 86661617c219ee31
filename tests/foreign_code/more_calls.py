"""More calls, as those of `calls`, into packages that were chosen when that list was there."""

from calls import MODEL, SERIES, V3, W3

IMG = [[0.1, 0.5, 0.3, 0.8], [0.4, 0.9, 0.2, 0.6], [0.7, 0.3, 0.5, 0.1], [0.2, 0.6, 0.4, 0.9]]
GAUSS = [0.1, 0.3, 0.9, 2.1, 2.8, 2.2, 1.0, 0.4]
XYZ = [[1.0, 0.2, 0.1], [-0.3, 1.1, 0.4], [0.2, -0.5, 0.9], [-0.8, -0.6, -1.2]]
XYZ2 = [[0.9, 0.1, 0.3], [-0.5, 1.0, 0.2], [0.4, -0.3, 1.0], [-0.6, -0.9, -1.0]]
VALUES = {"IMG": IMG, "XYZ2": XYZ2}  # what expressions read

# Packages that others call with functions of theirs.
ALSO_MORE = {"geopy": ["geographiclib"], "dual_quaternions": ["pyquaternion"]}

MORE_CALLS = {
    "geodesy": {
        "geopy.distance": {
            "m.great_circle((a, b), (48.0, 2.0)).km": (45.7, 4.8),
            "m.geodesic((a, b), (48.0, 2.0)).km": (45.7, 4.8),
        },
        "vincenty": {
            "m.vincenty_inverse((a, b), (48.0, 2.0))": (45.7, 4.8),
        },
        "boule": {
            "m.WGS84.normal_gravity((0.0, a, b))": (45.0, 500.0),
            "m.WGS84.geocentric_radius(a)": ([10.0, 45.0],),
            "m.WGS84.geodetic_to_spherical((0.0, a, b))": (45.0, 500.0),
        },
    },
    "finance": {
        "mibian": {
            "m.BS([a, 50.0, 2.0, 30.0], volatility=b).callPrice": (52.0, 20.0),
            "m.GK([a, 1.4, 2.0, 1.0, 30.0], volatility=b).putDelta": (1.45, 12.0),
        },
    },
    "robotics": {
        "squaternion": {
            "(lambda q: [q.w, q.x, q.y, q.z])(m.Quaternion(a, b, 0.2, 0.1) * m.Quaternion(0.5, 0.1, 0.2, 0.3))": (0.8, 0.4),
            "m.Quaternion(a, b, 0.2, 0.1).normalize.to_euler()": (0.8, 0.4),
        },
        "dual_quaternions": {
            "(m.DualQuaternion.from_dq_array(a) * m.DualQuaternion.from_dq_array([0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.4])).dq_array()": ([0.8, 0.2, 0.4, 0.4, 0.1, 0.2, 0.3, 0.1],),
            "m.DualQuaternion.from_quat_pose_array(a).homogeneous_matrix()": ([0.7, 0.2, 0.4, 0.3, 0.1, 0.2, 0.3],),
        },
    },
    "astronomy": {
        "suncalc.suncalc": {
            "m.declination(a, b)": (0.4, 0.1),
            "list(m.sun_coords(a).values())": (7000.3,),
            "m.altitude(a, b, 0.2)": (0.4, 0.9),
        },
        "PyAstronomy.pyasl": {
            "m.KeplerEllipse(a, 1.3, e=b, Omega=10.0, i=30.0, w=5.0).xyzPos(0.4)": (1.0, 0.3),
            "m.getAngDist(a, b, 20.0, 30.0)": (10.0, 25.0),
            "m.airmassPP(a)": (35.0,),
            "m.vactoair2(a)": ([5000.0, 6000.0],),
            "m.sunpos(2457000.0 + a)": (0.3,),
            "m.planck(a, b)": (5800.0, 5e-7),
            "m.unred(np.array([4000.0, 5000.0]), a, b)": ([1.0, 2.0], 0.3),
        },
        "skyfield.functions": {
            "m.to_spherical(a)": (V3,),
            "m.angle_between(a, b)": (V3, W3),
        },
        "skyfield.keplerlib": {
            "m.eccentric_anomaly(a, b)": (0.3, 1.2),
            "m.propagate(a, b, 0.0, np.array([10.0]), 2.96e-4)": ([1.0, 0.1, 0.05], [0.001, 0.016, 0.002]),
        },
        "skyfield.earthlib": {
            "m.refraction(a, 10.0, b)": (20.0, 1010.0),
        },
        "skyfield.precessionlib": {
            "m.compute_precession(a)": (2459000.5,),
        },
        "skyfield.nutationlib": {
            "[x * 1e-7 for x in m.iau2000b(2459000.0 + a)]": (0.5,),
        },
    },
    "geophysics": {
        "pygeomag": {
            "(lambda r: [r.d, r.f, r.h])(m.GeoMag(coefficients_file='wmm/WMM_2025.COF').calculate(a, b, 0.0, 2025.5))": (47.6, -122.3),
        },
    },
    "chemistry": {
        "rmsd": {
            "m.rmsd(a, np.array(XYZ2))": (XYZ,),
            "m.kabsch_rmsd(a, np.array(XYZ2), translate=True)": (XYZ,),
            "m.quaternion_rmsd(a, np.array(XYZ2))": (XYZ,),
            "m.centroid(a)": (XYZ,),
        },
        "periodictable": {
            "m.formula('H2O').mass * a": (1.1,),
        },
        "periodictable.xsf": {
            "m.xray_wavelength(a)": (10.0,),
        },
        "periodictable.cromermann": {
            "m.fxrayatq('Si', a)": ([0.5, 1.2],),
        },
        "periodictable.nsf": {
            "m.neutron_wavelength(a)": (25.0,),
        },
    },
    "signal processing": {
        "peakutils": {
            "m.centroid(np.arange(8.0), a)": (GAUSS,),
            "m.gaussian(np.arange(8.0), a, b, c)": (2.0, 4.0, 1.3),
            "m.baseline(a, 2)": (GAUSS,),
        },
        "peakutils.prepare": {
            "m.scale(a, (0.0, 2.0))[0]": (GAUSS,),
        },
        "simdkalman.primitives": {
            "m.predict(a, np.array([[2.0, 0.1], [0.1, 1.0]]), b, np.eye(2))": ([[1.0], [2.0]], [[1.0, 0.1], [0.0, 1.0]]),
            "m.update(a, b, np.array([[1.0, 0.0]]), np.array([[0.5]]), np.array([[1.2]]))": ([[1.0], [2.0]], [[2.0, 0.1], [0.1, 1.0]]),
        },
        "simdkalman": {
            "m.KalmanFilter(np.array([[1.0, 1.0], [0.0, 1.0]]), a, np.array([[1.0, 0.0]]), b).smooth(np.array([[1.0, 2.0, 2.5, 4.0]])).observations.mean": ([[0.1, 0.0], [0.0, 0.01]], [[0.5]]),
        },
        "adaptfilt": {
            "m.lms(np.array(SERIES), a, 2, 0.01)[0]": (MODEL,),
        },
        "vmdpy": {
            "m.VMD(a, 20.0, 0.0, 2, 0, 1, 1e-3)[0]": (SERIES,),
        },
    },
    "acoustics": {
        "sfs.fd.source": {
            "m.point(a, [b, 0.2, 0.1], [np.array([1.0, 2.0]), np.array([0.5, 0.1]), 0.0])": (300.0, 0.3),
            "m.line(a, [b, 0.2, 0.1], [np.array([1.0, 2.0]), np.array([0.5, 0.1])])": (300.0, 0.3),
        },
        "sfs.array": {
            "m.circular(6, a).x": (1.5,),
        },
        "sfs.fd.wfs": {
            "m.line_2d(a, np.array([[0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]), np.array([[0.0, -1.0, 0.0]] * 2), [b, 2.0, 0.0])[0]": (300.0, 0.3),
        },
    },
    "aerospace": {
        "proptools.nozzle": {
            "m.thrust_coef(a, b, 1.2, 0.0, 10.0)": (1e6, 1e4),
            "m.mach_from_er(a, b)": (5.0, 1.2),
            "m.mass_flow(a, b, 3000.0, 1.2, 0.02)": (0.01, 1e6),
        },
        "proptools.isentropic": {
            "m.velocity(a, b, 300.0, 5e5, 1.4, 0.029)": (10.0, 1e6),
        },
        "proptools.convection": {
            "m.bartz(a, 1500.0, 0.1, b, 2000.0, 1e-4, 0.7)": (1e6, 0.2),
        },
    },
    "imaging": {
        "abel.hansenlaw": {
            "m.hansenlaw_transform(a, direction='forward')": (IMG,),
        },
        "abel.direct": {
            "m.direct_transform(a, direction='forward', backend='python')": (IMG,),
        },
        "sewar": {
            "m.mse(np.array(IMG), a)": (IMG,),
            "m.psnr(np.array(IMG), a * 0.9, MAX=1.0)": (IMG,),
            "m.uqi(np.array(IMG), a * 0.9, ws=2)": (IMG,),
        },
    },
    "statistics": {
        "csaps": {
            "m.csaps(np.arange(8.0), a, np.array([0.5, 2.2]), smooth=0.8)": (SERIES,),
        },
        "lmfit.lineshapes": {
            "m.voigt(np.array([0.5, 1.0]), a, b, 1.2, 0.7)": (2.0, 0.3),
            "m.pearson7(np.array([0.5, 1.0]), a, b, 1.2, 1.7)": (2.0, 0.3),
            "m.expgaussian(np.array([0.5, 1.0]), a, b, 1.2, 0.7)": (2.0, 0.3),
            "m.doniach(np.array([0.5, 1.0]), a, b, 1.2, 0.1)": (2.0, 0.3),
        },
        "lmfit.models": {
            "m.GaussianModel().eval(x=np.array([0.5, 1.0]), amplitude=a, center=b, sigma=1.2)": (2.0, 0.3),
        },
    },
    "colour": {
        "colour": {
            "m.XYZ_to_Lab(a)": ([0.3, 0.5, 0.2],),
            "m.sRGB_to_XYZ(a)": ([0.3, 0.5, 0.2],),
            "m.delta_E(a, np.array([50.0, 10.0, 20.0]))": ([45.0, 12.0, 17.0],),
            "m.RGB_to_HSV(a)": ([0.3, 0.5, 0.2],),
            "m.temperature.CCT_to_xy_Kang2002(a)": (6500.0,),
            "m.models.XYZ_to_CAM02UCS(a) if hasattr(m.models, 'XYZ_to_CAM02UCS') else m.XYZ_to_Luv(a)": ([0.3, 0.5, 0.2],),
        },
        "coloraide": {
            "m.Color('srgb', [a, b, 0.3]).convert('oklab').coords()": (0.2, 0.6),
            "m.Color('srgb', [a, b, 0.3]).delta_e(m.Color('srgb', [0.5, 0.4, 0.3]), method='2000')": (0.2, 0.6),
        },
    },
    "physics": {
        "magpylib.core": {
            "m.magnet_cuboid_Bfield(a, np.array([[1.0, 1.0, 1.0]]), b)": ([[1.2, 0.3, 0.9]], [[0.1, 0.2, 1.0]]),
            "m.dipole_Hfield(a, b)": ([[1.2, 0.3, 0.9]], [[0.1, 0.2, 1.0]]),
            "m.current_circle_Hfield(a, b, np.array([0.2]), np.array([1.0]))": ([0.7], [0.4]),
        },
    },
    "optics": {
        "raytracing": {
            "(lambda s: [s.A, s.B, s.C, s.D])(m.Lens(f=a) * m.Space(d=b))": (10.0, 5.0),
            "(m.Space(d=b) * m.GaussianBeam(w=a, wavelength=0.6)).w": (1.0, 5.0),
            "m.DielectricInterface(n1=1.0, n2=a, R=b).C": (1.5, 20.0),
        },
        "raytracing.materials": {
            "m.N_BK7.n(a)": (0.55,),
        },
    },
    "mechanics": {
        "anastruct.basic": {
            "m.rotation_matrix(a)": (0.3,),
        },
        "anastruct": {
            "(lambda s: (s.add_element([[0.0, 0.0], [a, 0.0]]), s.add_support_fixed(1), s.point_load(2, Fy=b), s.solve())[-1])(m.SystemElements())": (2.0, 10.0),
        },
    },
    "thermodynamics": {
        "pyromat": {
            "m.get('ig.N2').h(T=a, p=b)": (500.0, 2.0),
            "m.get('ig.N2').cp(T=a)": (500.0,),
            "m.get('mp.H2O').h(T=a, p=b)": (500.0, 2.0),
        },
    },
}  # fmt: skip
